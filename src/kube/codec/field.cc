// SPDX-License-Identifier: Apache-2.0
#include "kube/codec/field.h"

#include <limits>

#include "base/text.h"
#include "json/json.h"

namespace tenon::kube::codec {
namespace {

constexpr size_t kMaxShown = 80;  // characters of an invalid value in a message

bool find_path(const json::value& in, const json::value* wanted, std::string& path) {
  if (&in == wanted) return true;
  const size_t length = path.size();
  if (const auto* members = in.if_object()) {
    for (const auto& member : *members) {
      // Keys with dots or slashes would look like several steps.
      const bool plain = member.key().find_first_of("./") == std::string_view::npos;
      path += plain ? (length ? "." : "") + std::string(member.key()) : "[" + std::string(member.key()) + "]";
      if (find_path(member.value(), wanted, path)) return true;
      path.resize(length);
    }
  }
  if (const auto* items = in.if_array()) {
    for (size_t i = 0; i < items->size(); ++i) {
      path += "[" + std::to_string(i) + "]";
      if (find_path((*items)[i], wanted, path)) return true;
      path.resize(length);
    }
  }
  return false;
}

}  // namespace

std::string Problem::path(const json::value& at) const {
  std::string out;
  find_path(document_, &at, out);
  return out;
}

void Problem::add(const json::value& at, std::string_view what) {
  if (error_) return;
  const std::string where = path(at);
  error_ = Error{Code::kInvalid, (where.empty() ? "" : where + ": ") + std::string(what)};
}

Field Field::operator[](std::string_view key) const {
  if (!value_) return *this;
  const auto* members = value_->if_object();
  if (!members) {
    complain("must be an object, not " + shown());
    return {nullptr, problem_};
  }
  const json::value* member = members->if_contains(key);
  return {member && !member->is_null() ? member : nullptr, problem_};
}

std::string Field::path() const { return value_ ? problem_->path(*value_) : std::string(); }

void Field::complain(std::string_view what) const {
  if (value_) problem_->add(*value_, what);
}

std::string Field::shown() const {
  if (value_->is_object()) return "an object";
  if (value_->is_array()) return "a list";
  std::string out = json::to_string(*value_);
  if (out.size() <= kMaxShown) return out;
  size_t end = kMaxShown;  // not in the middle of a character
  while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xc0) == 0x80) --end;
  return out.substr(0, end) + "…";
}

std::string Field::text(std::string_view otherwise) const {
  if (!value_) return std::string(otherwise);
  if (const auto* s = value_->if_string()) return std::string(*s);
  complain("must be a string, not " + shown());
  return {};
}

std::optional<int64_t> Field::optional_integer() const {
  if (!value_) return std::nullopt;
  if (value_->is_int64()) return value_->get_int64();
  constexpr double kLimit = 9.0e18;
  if (const double* d = value_->if_double(); d && *d == double(int64_t(*d > kLimit || *d < -kLimit ? 0 : *d))) {
    return static_cast<int64_t>(*d);
  }
  complain("must be an integer, not " + shown());
  return std::nullopt;
}

std::optional<int> Field::optional_int32() const {
  const std::optional<int64_t> n = optional_integer();
  if (!n) return std::nullopt;
  if (*n < std::numeric_limits<int>::min() || *n > std::numeric_limits<int>::max()) {
    complain("must be a 32-bit integer, not " + shown());
    return std::nullopt;
  }
  return static_cast<int>(*n);
}

std::optional<bool> Field::optional_boolean() const {
  if (!value_) return std::nullopt;
  if (const bool* b = value_->if_bool()) return *b;
  complain("must be true or false, not " + shown());
  return std::nullopt;
}

int64_t Field::integer(int64_t otherwise) const { return optional_integer().value_or(otherwise); }
int Field::int32(int otherwise) const { return optional_int32().value_or(otherwise); }
bool Field::boolean(bool otherwise) const { return optional_boolean().value_or(otherwise); }

std::optional<Instant> Field::time() const {
  if (!value_) return std::nullopt;
  const std::string s = text();
  std::optional<Instant> t = parse_rfc3339(s);
  if (!t) complain("must be a time such as 2026-09-01T12:00:00Z, not " + shown());
  return t;
}

std::string Field::text_or_number() const {
  if (!value_) return {};
  if (const auto* s = value_->if_string()) return std::string(*s);
  if (value_->is_number()) return json::to_string(*value_);
  complain("must be a string or a number, not " + shown());
  return {};
}

model::Quantity Field::quantity() const {
  if (!value_) return {};
  if (!value_->is_string() && !value_->is_number()) {
    complain("must be a quantity, not " + shown());
    return {};
  }
  const Result<model::Quantity> q = model::parse_quantity(text_or_number());
  if (!q) {
    complain(q.error().message);
    return {};
  }
  return *q;
}

Duration Field::duration() const {
  if (!value_) return Duration(0);
  const std::string s = text();
  const std::optional<Duration> d = parse_go_duration(s);
  if (!d) complain("must be a duration such as 1h30m, not " + shown());
  return d.value_or(Duration(0));
}

std::string Field::one_of(std::initializer_list<std::string_view> words, std::string_view otherwise) const {
  if (!value_) return std::string(otherwise);
  const std::string s = text();
  std::vector<std::string> all;
  for (const std::string_view word : words) {
    if (s == word) return s;
    all.emplace_back(word);
  }
  complain("must be one of " + join(all, ", ") + ", not " + shown());
  return std::string(otherwise);
}

std::vector<Field> Field::items() const {
  std::vector<Field> out;
  if (!value_) return out;
  const auto* list = value_->if_array();
  if (!list) {
    complain("must be a list, not " + shown());
    return out;
  }
  out.reserve(list->size());
  for (const json::value& item : *list) out.push_back({item.is_null() ? nullptr : &item, problem_});
  return out;
}

std::vector<std::pair<std::string_view, Field>> Field::members() const {
  std::vector<std::pair<std::string_view, Field>> out;
  if (!value_) return out;
  const auto* map = value_->if_object();
  if (!map) {
    complain("must be an object, not " + shown());
    return out;
  }
  out.reserve(map->size());
  for (const auto& member : *map) {
    out.emplace_back(member.key(), Field(member.value().is_null() ? nullptr : &member.value(), problem_));
  }
  return out;
}

std::vector<std::string> Field::texts() const {
  std::vector<std::string> out;
  for (const Field& item : items()) out.push_back(item.text());
  return out;
}

model::StringMap Field::string_map() const {
  model::StringMap out;
  for (const auto& [key, field] : members()) out.emplace(key, field.text());
  return out;
}

}  // namespace tenon::kube::codec
