// SPDX-License-Identifier: Apache-2.0
#include "testing/iam_policy.h"

#include <algorithm>

#include "awssim/account/wire.h"
#include "base/check.h"
#include "base/text.h"
#include "json/json.h"

namespace tenon::testing {
namespace {

using json::value;

std::vector<std::string> texts(const value& v) {
  std::vector<std::string> out;
  if (v.is_string()) return {std::string(v.get_string())};
  for (const value& one : v.as_array()) out.emplace_back(one.as_string());
  return out;
}

bool any_matches(const std::vector<std::string>& patterns, const std::string& text) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return awssim::matches_pattern(text, pattern); });
}

bool any_equals(const std::vector<std::string>& wanted, const std::string& text) {
  return std::find(wanted.begin(), wanted.end(), text) != wanted.end();
}

bool holds(std::string_view op, std::string_view key, const std::vector<std::string>& wanted,
           const IamQuestion& question) {
  const auto found = question.context.find(to_lower(key));  // keys are compared without case
  const bool given = found != question.context.end();
  if (op == "ForAllValues:StringEquals") {
    return !given || std::all_of(found->second.begin(), found->second.end(),
                                 [&](const std::string& one) { return any_equals(wanted, one); });
  }
  CHECK(op == "StringEquals" || op == "StringLike" || op == "ArnEquals", "an operator that this test does not know");
  if (!given) return false;
  return std::any_of(found->second.begin(), found->second.end(), [&](const std::string& one) {
    return op == "StringEquals" ? any_equals(wanted, one) : any_matches(wanted, one);
  });
}

bool allows(const value& statement, const IamQuestion& question) {
  CHECK(json::string_at(statement, {"Effect"}) == "Allow", "a policy of an identity allows only");
  if (!any_matches(texts(statement.at("Action")), question.action)) return false;
  if (!any_matches(texts(statement.at("Resource")), question.resource)) return false;
  for (const auto& [op, keys] : json::object_at(statement, {"Condition"})) {
    for (const auto& [key, wanted] : keys.as_object()) {
      if (!holds(op, key, texts(wanted), question)) return false;
    }
  }
  return true;
}

}  // namespace

std::string IamQuestion::text() const {
  std::string out = action + " on " + resource;
  for (const auto& [key, values] : context) out += "\n    " + key + " = " + join(values, ", ");
  return out;
}

bool allowed(const std::vector<value>& policies, const IamQuestion& question) {
  for (const value& policy : policies) {
    for (const value& statement : json::array_at(policy, {"Statement"})) {
      if (allows(statement, question)) return true;
    }
  }
  return false;
}

}  // namespace tenon::testing
