// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/label_hint.h"
#include "model/labels.h"
#include "model/requirement.h"

namespace tenon::model {

Result<Requirements> Requirements::make(const std::vector<RequirementSpec>& specs) {
  Requirements result;
  for (const RequirementSpec& spec : specs) result.add(TRY(Requirement::make(spec)));
  return result;
}

Requirements Requirements::from_labels(const StringMap& labels) {
  Requirements result;
  for (const auto& [key, value] : labels) result.add(Requirement::in(key, {value}));
  return result;
}

void Requirements::add(const Requirement& requirement) {
  ByKey& by_key = by_key_.edit();
  const auto at = by_key.find(requirement.key());
  if (at == by_key.end()) {
    by_key.emplace(requirement.key(), requirement);
  } else {
    at->second = at->second.intersect(requirement);
  }
}

void Requirements::add(const Requirements& other) {
  if (empty()) {
    by_key_ = other.by_key_;
  } else {
    for (const auto& [key, requirement] : other.by_key()) add(requirement);
  }
}

void Requirements::replace(Requirement requirement) {
  const std::string key = requirement.key();
  by_key_.edit().insert_or_assign(key, std::move(requirement));
}

void Requirements::erase(std::string_view key) {
  if (!has(key)) return;
  ByKey& by_key = by_key_.edit();
  by_key.erase(by_key.find(key));
}

bool Requirements::has(std::string_view key) const { return by_key_->find(key) != by_key_->end(); }

Requirement Requirements::get(std::string_view key) const {
  const auto at = by_key_->find(key);
  return at == by_key_->end() ? Requirement(std::string(key)) : at->second;
}

Status Requirements::intersects(const Requirements& other) const {
  std::string wrong;
  for (const auto& [key, theirs] : other.by_key()) {
    const auto at = by_key_->find(key);
    if (at == by_key_->end() || at->second.intersects(theirs)) continue;
    if (at->second.tolerates_absence() && theirs.tolerates_absence()) continue;
    if (!wrong.empty()) wrong += "; ";
    wrong += "key " + key + ", " + theirs.to_string() + " not in " + at->second.to_string();
  }
  if (wrong.empty()) return ok();
  return fail(Code::kInvalid, std::move(wrong));
}

Status Requirements::compatible(const Requirements& incoming, bool allow_undefined_well_known) const {
  for (const auto& [key, theirs] : incoming.by_key()) {
    if (by_key_->contains(key) || theirs.tolerates_absence()) continue;
    if (allow_undefined_well_known && is_well_known_label(key)) continue;
    std::string text = "label \"" + key + "\" does not have known values";
    std::string_view meant = allow_undefined_well_known ? well_known_label_like(key) : std::string_view();
    for (const auto& [mine, r] : by_key()) {
      if (meant.empty() && resembles(mine, key)) meant = mine;
    }
    if (!meant.empty()) text += " (typo of \"" + std::string(meant) + "\"?)";
    return fail(Code::kInvalid, std::move(text));
  }
  return intersects(incoming);
}

StringMap Requirements::single_values() const {
  StringMap labels;
  for (const auto& [key, requirement] : by_key()) {
    if (!requirement.complement() && requirement.values().size() == 1) labels[key] = *requirement.values().begin();
  }
  return labels;
}

std::vector<RequirementSpec> Requirements::to_specs() const {
  std::vector<RequirementSpec> specs;
  for (const auto& [key, requirement] : by_key()) {
    for (RequirementSpec& spec : requirement.to_specs()) specs.push_back(std::move(spec));
  }
  return specs;
}

}  // namespace tenon::model
