// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/admit/validation/place.h"

#include <fmt/format.h>

#include <algorithm>

#include "json/json.h"
#include "kubesim/apiserver/base/names.h"
#include "schema/causes.h"

namespace tenon::kubesim::apiserver::validation {

using json::array;
using json::object;

namespace {
const json::value kNull;
}  // namespace

Place Place::operator[](std::string_view field) const {
  const object* members = at_ == nullptr ? nullptr : at_->if_object();
  return {members == nullptr ? nullptr : members->if_contains(field),
          path_.empty() ? std::string(field) : fmt::format("{}.{}", path_, field), *causes_};
}

Place Place::key(std::string_view name) const {
  const object* members = at_ == nullptr ? nullptr : at_->if_object();
  return {members == nullptr ? nullptr : members->if_contains(name), fmt::format("{}[{}]", path_, name), *causes_};
}

void Place::each(const std::function<void(const Place&)>& visit) const {
  const array* items = at_ == nullptr ? nullptr : at_->if_array();
  for (size_t i = 0; items != nullptr && i < items->size(); ++i) {
    visit({&(*items)[i], fmt::format("{}[{}]", path_, i), *causes_});
  }
}

void Place::each_key(const std::function<void(const Place&, std::string_view)>& visit) const {
  const object* members = at_ == nullptr ? nullptr : at_->if_object();
  if (members == nullptr) return;
  for (const auto& member : *members) visit(key(member.key()), member.key());
}

bool Place::empty() const {
  if (at_ == nullptr || at_->is_null()) return true;
  if (at_->is_string()) return at_->get_string().empty();
  return size() == 0 && at_->is_structured();
}

std::string_view Place::text() const {
  return at_ != nullptr && at_->is_string() ? std::string_view(at_->get_string()) : std::string_view();
}

int64_t Place::number(int64_t otherwise) const {
  return at_ != nullptr && at_->is_int64() ? at_->get_int64() : otherwise;
}

bool Place::flag() const { return at_ != nullptr && at_->is_bool() && at_->get_bool(); }

size_t Place::size() const {
  if (at_ == nullptr) return 0;
  if (at_->is_array()) return at_->get_array().size();
  return at_->is_object() ? at_->get_object().size() : 0;
}

const json::value& Place::value() const { return at_ == nullptr ? kNull : *at_; }

void Place::invalid(std::string_view detail) const { invalid(value(), detail); }
void Place::invalid(const json::value& shown, std::string_view detail) const {
  causes_->push_back(schema::invalid(path_, shown, detail));
}
void Place::required(std::string_view detail) const { causes_->push_back(schema::required(path_, detail)); }
void Place::forbidden(std::string_view detail) const { causes_->push_back(schema::forbidden(path_, detail)); }
void Place::duplicate() const { causes_->push_back(schema::duplicate(path_, value())); }
void Place::not_found() const {
  causes_->push_back({"FieldValueNotFound", "Not found: " + schema::quote(text()), path_});
}
void Place::not_supported(const std::vector<std::string_view>& allowed) const {
  array values;
  for (const std::string_view each : allowed) values.emplace_back(each);
  causes_->push_back(schema::not_supported(path_, at_ == nullptr ? json::value("") : *at_, values));
}

void Place::named(NameCheck check) const {
  if (at_ == nullptr) return;
  if (const auto wrong = check(text())) invalid(*wrong);
}

void Place::qualified() const {
  const json::value shown(text());
  if (const auto wrong = check_qualified_name(text())) invalid(shown, *wrong);
  // An empty name violates two rules.
  if (text().empty()) invalid(shown, *check_qualified_name("-"));
}

void Place::one_of(const std::vector<std::string_view>& allowed) const {
  if (!empty() && std::find(allowed.begin(), allowed.end(), text()) == allowed.end()) not_supported(allowed);
}

void Place::one_of_required(const std::vector<std::string_view>& allowed) const {
  if (empty()) return required();
  one_of(allowed);
}

void Place::not_negative() const {
  if (number() < 0) invalid("must be greater than or equal to 0");
}

void Place::in_range(int64_t low, int64_t high) const {
  if (at_ != nullptr && (number() < low || number() > high)) {
    invalid(fmt::format("must be between {} and {}, inclusive", low, high));
  }
}

void Place::unique(std::set<std::string>& seen) const {
  if (!empty() && !seen.emplace(text()).second) duplicate();
}

}  // namespace tenon::kubesim::apiserver::validation
