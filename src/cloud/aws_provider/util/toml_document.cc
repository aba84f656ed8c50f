// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/util/toml_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "json/json.h"

// Some malformed keys ("[a.=]") fail an assertion in toml++ 3.3. Such text must be an input error, not a crash.
namespace {
struct TomlAssertion {};
constexpr void toml_assert(bool holds) {
  if (!holds) throw TomlAssertion();
}
}  // namespace
#undef NDEBUG
#define TOML_ASSERT(expr) toml_assert(static_cast<bool>(expr))
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

namespace tenon::cloud {
namespace {

bool is_bare(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

std::string below(const std::string& path, std::string_view key) {
  return (path.empty() ? "" : path + ".") + toml_key(key);
}

Result<json::value> to_json(const toml::node& node, const std::string& path, int depth);

Result<json::object> table_to_json(const toml::table& table, const std::string& path, int depth) {
  json::object out;
  for (const auto& [key, node] : table) {
    json::value member = TRY(to_json(node, below(path, key.str()), depth + 1));
    out.emplace(key.str(), std::move(member));
  }
  return out;
}

Result<json::value> to_json(const toml::node& node, const std::string& path, int depth) {
  if (depth > kMaxTomlDepth) return fail(Code::kInvalid, path.substr(0, 80) + "…: nested too deeply");
  if (const auto* text = node.as_string()) return json::value(text->get());
  if (const auto* whole = node.as_integer()) return json::value(whole->get());
  if (const auto* flag = node.as_boolean()) return json::value(flag->get());
  if (const auto* number = node.as_floating_point(); number && std::isfinite(number->get())) {
    return json::value(number->get());
  }
  if (const auto* list = node.as_array()) {
    json::array out;
    for (const toml::node& element : *list) {
      json::value member = TRY(to_json(element, path + "[" + std::to_string(out.size()) + "]", depth + 1));
      out.push_back(std::move(member));
    }
    return json::value(std::move(out));
  }
  if (const auto* table = node.as_table()) {
    json::object out = TRY(table_to_json(*table, path, depth));
    return json::value(std::move(out));
  }
  return fail(Code::kInvalid, path + ": is a date, a time or no finite number, which no setting of Bottlerocket is");
}

bool is_array_of_tables(const json::value& value) {
  if (!value.is_array() || value.get_array().empty()) return false;
  const json::array& list = value.get_array();
  return std::all_of(list.begin(), list.end(), [](const json::value& element) { return element.is_object(); });
}

std::string float_text(double number) {
  std::string text = fmt::format("{}", number);  // the shortest text that parses to the same number
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string inline_text(const json::value& value) {
  if (value.is_string()) return toml_string(value.get_string());
  if (value.is_double()) return float_text(value.get_double());
  std::string out;
  if (value.is_array()) {
    for (const json::value& element : value.get_array()) out += (out.empty() ? "" : ", ") + inline_text(element);
    return "[" + out + "]";
  }
  if (value.is_object()) {
    for (const auto& [key, member] : value.get_object()) {
      out += (out.empty() ? " " : ", ") + toml_key(key) + " = " + inline_text(member);
    }
    return "{" + out + (out.empty() ? "}" : " }");
  }
  return json::to_string(value);  // an integer or a boolean
}

// `header`: that of an element of an array of tables; empty: [path], omitted if the table contains only tables.
void write_table(const json::object& table, const std::string& path, const std::string& header, std::string& out) {
  std::string rows;
  bool tables = false;
  for (const auto& [key, value] : table) {
    const bool apart = value.is_object() || is_array_of_tables(value);
    tables = tables || apart;
    if (!apart) rows += toml_key(key) + " = " + inline_text(value) + "\n";
  }
  if (!header.empty()) {
    out += header;
  } else if (!path.empty() && (!rows.empty() || !tables)) {
    out += "[" + path + "]\n";
  }
  out += rows;
  for (const auto& [key, value] : table) {
    const std::string inner = below(path, key);
    if (value.is_object()) write_table(value.get_object(), inner, "", out);
    if (!is_array_of_tables(value)) continue;
    for (const json::value& element : value.get_array()) {
      write_table(element.get_object(), inner, "[[" + inner + "]]\n", out);
    }
  }
}

// Returns the position after the string that begins at `at`.
size_t behind_string(std::string_view text, size_t at) {
  const char quote = text[at];
  const std::string_view three = text.substr(at, 3);
  const bool lines = three == std::string(3, quote);
  for (at += lines ? 3 : 1; at < text.size(); ++at) {
    if (quote == '"' && text[at] == '\\') {
      ++at;
    } else if (!lines && (text[at] == quote || text[at] == '\n')) {
      return at + 1;
    } else if (lines && text.substr(at, 3) == three) {
      const size_t end = text.find_first_not_of(quote, at);  // up to two more quotes belong to the string
      return end == std::string_view::npos ? text.size() : end;
    }
  }
  return text.size();
}

// toml++ 3.3 limits the depth of arrays and inline tables, but not of dotted keys, and recurses into all of them.
bool nests_too_deeply(std::string_view text) {
  std::vector<int> outside;  // the depth outside each open bracket
  int depth = 0;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      at = behind_string(text, at);
      continue;
    }
    if (c == '#') at = std::min(text.find('\n', at), text.size() - 1);
    if (c == '[' || c == '{') {
      outside.push_back(depth++);
    } else if ((c == ']' || c == '}') && !outside.empty()) {
      depth = outside.back();
      outside.pop_back();
    } else if (c == '.') {
      ++depth;
    } else if (c == ',' || c == '\n' || c == '#') {
      depth = outside.empty() ? 0 : outside.back() + 1;
    }
    if (depth > 2 * kMaxTomlDepth) return true;
    ++at;
  }
  return false;
}

}  // namespace

Result<boost::json::object> parse_toml(std::string_view text) {
  if (text.size() > kMaxTomlBytes) {
    return fail(Code::kInvalid,
                "has " + std::to_string(text.size()) + " bytes, and " + std::to_string(kMaxTomlBytes) + " is the most");
  }
  if (nests_too_deeply(text)) return fail(Code::kInvalid, "tables or dotted keys are nested too deeply");
  try {
    return table_to_json(toml::parse(text), "", 0);
  } catch (const toml::parse_error& error) {
    return fail(Code::kInvalid,
                "line " + std::to_string(error.source().begin.line) + ": " + std::string(error.description()));
  } catch (const TomlAssertion&) {
    return fail(Code::kInvalid, "a key is malformed");
  }
}

std::string render_toml(const boost::json::object& document) {
  std::string out;
  write_table(document, "", "", out);
  return out;
}

std::string toml_key(std::string_view key) {
  if (!key.empty() && std::all_of(key.begin(), key.end(), is_bare)) return std::string(key);
  return toml_string(key);
}

std::string toml_string(std::string_view text) {
  const auto control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; };
  if (std::none_of(text.begin(), text.end(), [&](char c) { return c == '\'' || control(c); })) {
    return "'" + std::string(text) + "'";
  }
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (control(c)) {
      out += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

}  // namespace tenon::cloud
