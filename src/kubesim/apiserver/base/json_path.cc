// The subset of kubectl's JSONPath that printer columns use. parity: k8s.io/client-go/util/jsonpath
// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/base/json_path.h"

#include <charconv>

#include "base/text.h"
#include "json/json.h"

namespace tenon::kubesim::apiserver {
namespace {

using boost::json::value;
using Found = std::vector<const value*>;

void take_field(const value& at, std::string_view field, Found& out) {
  if (!at.is_object()) return;
  if (field == "*") {
    for (const auto& member : at.get_object()) out.push_back(&member.value());
  } else if (const value* v = at.get_object().if_contains(field)) {
    out.push_back(v);
  }
}

std::string_view unquote(std::string_view text) {
  text = trim(text);
  const bool quoted = text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front();
  return quoted ? text.substr(1, text.size() - 2) : text;
}

bool equals(const value& v, std::string_view wanted) {
  return v.is_string() ? std::string_view(v.get_string()) == unquote(wanted) : json::to_string(v) == trim(wanted);
}

// Evaluates a filter: ?(@.type=="Ready"), ?(@.name!='x'), ?(@.field)
void take_filtered(const value& at, std::string_view expression, Found& out) {
  if (!at.is_array()) return;
  const size_t op = std::min(expression.find("=="), expression.find("!="));
  const std::string_view left = trim(expression.substr(0, op));
  for (const value& item : at.get_array()) {
    const Found found = json_path(item, left.starts_with('@') ? left.substr(1) : left);
    bool keep = !found.empty();
    if (op != std::string_view::npos) {
      const bool same = keep && equals(*found[0], expression.substr(op + 2));
      keep = expression[op] == '=' ? same : !same;
    }
    if (keep) out.push_back(&item);
  }
}

void take_bracket(const value& at, std::string_view inside, Found& out) {
  if (inside.starts_with("?(") && inside.ends_with(")")) {
    take_filtered(at, inside.substr(2, inside.size() - 3), out);
  } else if (inside == "*") {
    if (!at.is_array()) return take_field(at, "*", out);
    for (const value& item : at.get_array()) out.push_back(&item);
  } else if (inside.starts_with('"') || inside.starts_with('\'')) {
    take_field(at, unquote(inside), out);
  } else if (at.is_array()) {
    int64_t index = 0;
    const auto size = static_cast<int64_t>(at.get_array().size());
    if (std::from_chars(inside.data(), inside.data() + inside.size(), index).ec != std::errc()) return;
    if (index < 0) index += size;
    if (index >= 0 && index < size) out.push_back(&at.get_array()[static_cast<size_t>(index)]);
  }
}

// Returns the end of the bracket that opens at `path[0]`, ignoring brackets in quotes; npos if it does not close.
size_t bracket_end(std::string_view path) {
  char quote = 0;
  int depth = 0;
  for (size_t i = 0; i < path.size(); ++i) {
    const char c = path[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[') {
      ++depth;
    } else if (c == ']' && --depth == 0) {
      return i;
    }
  }
  return std::string_view::npos;
}

}  // namespace

Found json_path(const value& object, std::string_view path) {
  path = trim(path);
  if (path.starts_with('{') && path.ends_with('}')) path = path.substr(1, path.size() - 2);
  if (path.starts_with('$')) path.remove_prefix(1);
  Found at{&object};
  while (!path.empty()) {
    Found next;
    if (path.front() == '[') {
      const size_t end = bracket_end(path);
      if (end == std::string_view::npos) return {};
      for (const value* v : at) take_bracket(*v, path.substr(1, end - 1), next);
      path.remove_prefix(end + 1);
    } else {
      if (path.front() == '.') path.remove_prefix(1);
      std::string field;  // a dot may be escaped: metadata.labels.karpenter\.sh/nodepool
      size_t i = 0;
      for (; i < path.size() && path[i] != '.' && path[i] != '['; ++i) {
        if (path[i] == '\\' && i + 1 < path.size()) ++i;
        field += path[i];
      }
      path.remove_prefix(i);
      if (field.empty()) continue;
      for (const value* v : at) take_field(*v, field, next);
    }
    at = std::move(next);
  }
  return at;
}

}  // namespace tenon::kubesim::apiserver
