// SPDX-License-Identifier: Apache-2.0
#include "metrics/promql.h"

#include <algorithm>
#include <cctype>

namespace tenon::metrics_tests {
namespace {

const std::set<std::string> kFunctions{
    "sum",           "count",  "max",       "min",  "avg",    "rate", "increase", "histogram_quantile",
    "label_replace", "vector", "clamp_min", "topk", "absent", "time", "changes",  "label_values",
    "delta"};
const std::set<std::string> kGrouping{"by", "without", "on", "ignoring", "group_left", "group_right"};
const std::set<std::string> kOperators{"or", "and", "unless", "bool", "offset"};

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Names read() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        string();
      } else if (c == '[') {
        at_ = std::min(text_.find(']', at_), text_.size());
      } else if (std::isdigit(static_cast<unsigned char>(c))) {
        word();
      } else if (is_word(c)) {
        meet(word());
      } else if (c == '{') {
        names_.unknown.emplace_back("a selector without a name");
        matchers();
      } else {
        ++at_;
      }
    }
    return std::move(names_);
  }

 private:
  static bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == ':'; }

  std::string word() {
    const size_t begin = at_;
    while (at_ < text_.size() && (is_word(text_[at_]) || (text_[at_] == '.' && std::isdigit(text_[begin])))) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  void string() {
    const char quote = text_[at_++];
    while (at_ < text_.size() && text_[at_] != quote) at_ += text_[at_] == '\\' ? 2 : 1;
    ++at_;
  }

  char next() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  void meet(const std::string& name) {
    if (kOperators.contains(name)) return;
    const char following = next();
    if (kGrouping.contains(name)) {
      if (following == '(') list();
    } else if (following == '(' || (kFunctions.contains(name) && is_word(following))) {
      if (!kFunctions.contains(name)) names_.unknown.push_back(name);
    } else {
      names_.selectors.emplace_back(name, following == '{' ? matchers() : std::set<std::string>());
    }
  }

  void list() {
    for (++at_; next() != ')' && at_ < text_.size();) {
      if (is_word(text_[at_])) {
        names_.grouping.insert(word());
      } else {
        ++at_;
      }
    }
  }

  std::set<std::string> matchers() {
    std::set<std::string> labels;
    for (++at_; next() != '}' && at_ < text_.size();) {
      if (is_word(text_[at_])) {
        labels.insert(word());
      } else if (text_[at_] == '"') {
        string();
      } else {
        ++at_;
      }
    }
    return labels;
  }

  std::string_view text_;
  size_t at_ = 0;
  Names names_;
};

}  // namespace

Names names_in(std::string_view expression) { return Reader(expression).read(); }

}  // namespace tenon::metrics_tests
