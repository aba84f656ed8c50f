// SPDX-License-Identifier: Apache-2.0
#include "schema/causes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "json/json.h"
#include "schema/cel/value.h"

namespace tenon::schema {
namespace {

Cause cause(std::string_view reason, std::string_view field, std::string message) {
  return {std::string(reason), std::move(message), field.empty() ? "<nil>" : std::string(field)};
}

std::string with_detail(std::string text, std::string_view detail) {
  if (!detail.empty()) text += ": " + std::string(detail);
  return text;
}

std::string shown(const json::value& v) {
  if (v.is_string()) return quote(v.get_string());
  if (v.is_double()) return cel::format_go_double(v.get_double());
  if (v.is_null()) return "null";
  return canonical_json(v);
}

json::value sorted(const json::value& v) {
  if (v.is_array()) {
    json::array out;
    for (const json::value& item : v.get_array()) out.push_back(sorted(item));
    return out;
  }
  if (!v.is_object()) return v;
  std::vector<std::string> keys;
  for (const auto& member : v.get_object()) keys.emplace_back(member.key());
  std::sort(keys.begin(), keys.end());
  json::object out;
  for (const std::string& key : keys) out[key] = sorted(v.get_object().at(key));
  return out;
}

}  // namespace

Cause invalid(std::string_view field, const json::value& bad_value, std::string_view detail) {
  return cause("FieldValueInvalid", field, with_detail("Invalid value: " + shown(bad_value), detail));
}

Cause type_invalid(std::string_view field, std::string_view bad_type, std::string_view detail) {
  return cause("FieldValueTypeInvalid", field, with_detail("Invalid value: " + quote(bad_type), detail));
}

Cause required(std::string_view field, std::string_view detail) {
  return cause("FieldValueRequired", field, with_detail("Required value", detail));
}

Cause not_supported(std::string_view field, const json::value& bad_value, const json::value& allowed) {
  std::vector<std::string> values;
  for (const json::value& each : allowed.as_array())
    values.push_back(quote(each.is_string() ? std::string(each.get_string()) : canonical_json(each)));
  return cause("FieldValueNotSupported", field,
               "Unsupported value: " + shown(bad_value) + ": supported values: " + join(values, ", "));
}

Cause too_long(std::string_view field, int64_t max) {
  return cause("FieldValueTooLong", field, "Too long: may not be more than " + counted(max, "byte"));
}

Cause too_many(std::string_view field, size_t actual, int64_t max) {
  return cause("FieldValueTooMany", field,
               fmt::format("Too many: {}: must have at most {}", actual, counted(max, "item")));
}

Cause duplicate(std::string_view field, const json::value& bad_value) {
  return cause("FieldValueDuplicate", field, "Duplicate value: " + shown(bad_value));
}

Cause forbidden(std::string_view field, std::string_view detail) {
  return cause("FieldValueForbidden", field, with_detail("Forbidden", detail));
}

std::string quote(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    constexpr std::string_view plain = "\a\b\f\n\r\t\v\\\"", letters = "abfnrtv\\\"";
    if (const size_t at = plain.find(c); at != std::string_view::npos) {
      out += {'\\', letters[at]};
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string canonical_json(const json::value& v) {
  std::string out;
  for (const char c : json::to_string(sorted(v))) {
    if (c == '<' || c == '>' || c == '&') {
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out;
}

std::string aggregate(const std::vector<Cause>& causes) {
  std::vector<std::string> texts;
  for (const Cause& cause : causes) {
    std::string text = cause.field + ": " + cause.message;
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(std::move(text));
  }
  return texts.size() == 1 ? texts[0] : "[" + join(texts, ", ") + "]";
}

}  // namespace tenon::schema
