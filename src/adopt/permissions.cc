// SPDX-License-Identifier: Apache-2.0
#include "adopt/permissions.h"

#include <fnmatch.h>

#include <algorithm>

#include "json/json.h"

namespace tenon::adopt {
namespace {

using json::value;

// A policy may have one element where another has a list of one.
std::vector<const value*> members(const value& object, std::string_view name) {
  std::vector<const value*> all;
  const value* found = json::find(object, {name});
  if (found == nullptr) return all;
  if (!found->is_array()) return {found};
  for (const value& one : found->get_array()) all.push_back(&one);
  return all;
}

bool matches(const value& pattern, const std::string& action) {
  return pattern.is_string() &&
         ::fnmatch(std::string(pattern.get_string()).c_str(), action.c_str(), FNM_NOESCAPE | FNM_CASEFOLD) == 0;
}

bool any_matches(const std::vector<const value*>& patterns, const std::string& action) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const value* one) { return matches(*one, action); });
}

bool covers(const value& statement, const std::string& action) {
  if (json::find(statement, {"NotAction"}) != nullptr) return !any_matches(members(statement, "NotAction"), action);
  return any_matches(members(statement, "Action"), action);
}

bool denies_everywhere(const value& statement) {
  const auto resources = members(statement, "Resource");
  return json::string_at(statement, {"Effect"}) == "Deny" && json::find(statement, {"Condition"}) == nullptr &&
         std::any_of(resources.begin(), resources.end(),
                     [](const value* one) { return one->is_string() && one->get_string() == "*"; });
}

}  // namespace

std::set<std::string> actions_of(const value& policy) {
  std::set<std::string> actions;
  for (const value* statement : members(policy, "Statement")) {
    if (json::string_at(*statement, {"Effect"}) != "Allow") continue;
    for (const value* action : members(*statement, "Action")) {
      if (action->is_string()) actions.emplace(action->get_string());
    }
  }
  return actions;
}

std::set<std::string> lacking_actions(const Documents& policies, const std::set<std::string>& wanted) {
  std::set<std::string> lacking;
  for (const std::string& action : wanted) {
    bool allowed = false, denied = false;
    for (const value& policy : policies) {
      for (const value* statement : members(policy, "Statement")) {
        if (!covers(*statement, action)) continue;
        allowed |= json::string_at(*statement, {"Effect"}) == "Allow";
        denied |= denies_everywhere(*statement);
      }
    }
    if (!allowed || denied) lacking.insert(action);
  }
  return lacking;
}

}  // namespace tenon::adopt
