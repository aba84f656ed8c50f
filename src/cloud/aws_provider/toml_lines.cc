// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/toml_lines.h"

#include <algorithm>

#include "base/text.h"

namespace tenon::cloud {
namespace {

bool is_bare(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Result<std::vector<TomlEntry>> read() {
    std::vector<TomlEntry> entries;
    while (skip_blank()) {
      TomlEntry entry;
      if (peek() == '[') {
        TRY(read_header());
        entry.table = table_;
        entry.array_table = array_table_;
      } else {
        entry.table = table_;
        entry.array_table = array_table_;
        entry.key = TRY(read_path('='));
        entry.value = TRY(read_value());
      }
      TRY(expect_end_of_line());
      entries.push_back(std::move(entry));
    }
    return entries;
  }

 private:
  tl::unexpected<Error> error(const std::string& what) const {
    const auto lines = std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n');
    return fail(Code::kInvalid, "line " + std::to_string(lines + 1) + ": " + what);
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_spaces() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\r') ++at_;
  }
  void skip_comment() {
    if (peek() != '#') return;
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  }
  bool skip_blank() {
    while (at_ < text_.size()) {
      skip_spaces();
      skip_comment();
      if (peek() != '\n') break;
      ++at_;
    }
    return at_ < text_.size();
  }
  Status expect_end_of_line() {
    skip_spaces();
    skip_comment();
    if (at_ < text_.size() && text_[at_] != '\n') return error("more than one statement on the line");
    return ok();
  }

  Status read_header() {
    array_table_ = text_.substr(at_).starts_with("[[");
    at_ += array_table_ ? 2 : 1;
    table_ = TRY(read_path(']'));
    if (array_table_ && peek() != ']') return error("[[ is not closed");
    if (array_table_) ++at_;
    return ok();
  }

  // Keys between dots, up to and with `end`.
  Result<std::vector<std::string>> read_path(char end) {
    std::vector<std::string> path;
    while (true) {
      skip_spaces();
      path.push_back(TRY(read_key()));
      skip_spaces();
      if (peek() == end) break;
      if (peek() != '.') return error("a key is expected");
      ++at_;
    }
    ++at_;
    return path;
  }

  Result<std::string> read_key() {
    const char quote = peek();
    if (quote == '"' || quote == '\'') {
      const size_t end = text_.find(quote, at_ + 1);
      if (end == std::string_view::npos) return error("a quoted key is not closed");
      std::string key(text_.substr(at_ + 1, end - at_ - 1));
      at_ = end + 1;
      return key;
    }
    const size_t start = at_;
    while (is_bare(peek())) ++at_;
    if (at_ == start) return error("a key is expected");
    return std::string(text_.substr(start, at_ - start));
  }

  // Up to the end of the line at bracket depth 0, strings skipped.
  Result<std::string> read_value() {
    skip_spaces();
    const size_t start = at_;
    int depth = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        TRY(skip_string(c));
        continue;
      }
      if (c == '[' || c == '{') ++depth;
      if (c == ']' || c == '}') --depth;
      if (depth < 0) return error("a bracket too many");
      if (depth == 0 && (c == '\n' || c == '#')) break;
      ++at_;
    }
    if (depth != 0) return error("a bracket is not closed");
    std::string value(trim(text_.substr(start, at_ - start)));
    if (value.empty()) return error("a value is expected");
    return value;
  }

  Status skip_string(char quote) {
    const std::string triple(3, quote);
    const bool several_lines = text_.substr(at_).starts_with(triple);
    size_t from = at_ + (several_lines ? 3 : 1);
    while (from < text_.size()) {
      if (quote == '"' && text_[from] == '\\') {
        from += 2;
        continue;
      }
      if (!several_lines && text_[from] == '\n') break;
      if (several_lines ? text_.substr(from).starts_with(triple) : text_[from] == quote) {
        at_ = from + (several_lines ? 3 : 1);
        return ok();
      }
      ++from;
    }
    return error("a string is not closed");
  }

  std::string_view text_;
  size_t at_ = 0;
  std::vector<std::string> table_;
  bool array_table_ = false;
};

}  // namespace

std::vector<std::string> TomlEntry::path() const {
  std::vector<std::string> full = table;
  full.insert(full.end(), key.begin(), key.end());
  return full;
}

Result<std::vector<TomlEntry>> parse_toml(std::string_view text) { return Reader(text).read(); }

std::string toml_key(std::string_view key) {
  if (!key.empty() && std::all_of(key.begin(), key.end(), is_bare)) return std::string(key);
  return toml_string(key);
}

std::string toml_string(std::string_view text) {
  const bool literal = std::none_of(
      text.begin(), text.end(), [](char c) { return c == '\'' || static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
  if (literal) return "'" + std::string(text) + "'";
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < ' ' || byte == 0x7f) {
      out += "\\u00";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
  }
  return out + "\"";
}

}  // namespace tenon::cloud
