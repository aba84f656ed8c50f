// SPDX-License-Identifier: Apache-2.0
#include "aws/observer_rule.h"

#include <algorithm>
#include <array>
#include <string>

namespace tenon::aws {
namespace {

constexpr std::array<std::string_view, 7> kActions{
    "AssumeRole",                     // sts
    "AssumeRoleWithWebIdentity",      // sts
    "DescribeInstanceTypeOfferings",  // ec2
    "DescribeInstanceTypes",          // ec2
    "DescribeInstances",              // ec2: what uses commitments
    "DescribeSpotPriceHistory",       // ec2
    "GetProducts",                    // pricing
};

constexpr std::string_view kFormType = "application/x-www-form-urlencoded";

// Returns the one action of form fields or of a query; empty: none or several.
std::string action_of(std::string_view encoded) {
  std::string action;
  for (const auto& [name, value] : http::parse_query(encoded)) {
    if (name != "Action") continue;
    if (!action.empty()) return "";
    action = value;
  }
  return action;
}

bool is_admitted(std::string_view action) {
  return std::find(kActions.begin(), kActions.end(), action) != kActions.end();
}

Status refused(const std::string& what) {
  return fail(Code::kForbidden, what + ": an observer (--observe) sends AWS only reads of what decisions depend on");
}

}  // namespace

std::span<const std::string_view> observer_actions() { return kActions; }

Status observer_may_send(const http::Request& request) {
  const auto url = http::parse_url(request.url);
  if (!url) return refused("an invalid URL");
  const std::string place = request.method + " " + std::string(url->path);
  if (const std::string_view target = request.headers.get("X-Amz-Target"); !target.empty()) {
    const std::string_view action = target.substr(target.rfind('.') + 1);
    return is_admitted(action) ? ok() : refused(std::string(action));
  }
  const auto fields = http::parse_query(url->query);
  const bool by_query =  // the Query protocol, which a GET may use as well
      std::any_of(fields.begin(), fields.end(), [](const auto& field) { return field.first == "Action"; });
  if (request.method == "GET" && !by_query) return ok();
  if (request.method != "POST" || by_query) return refused(place);
  if (!request.headers.get("Content-Type").starts_with(kFormType)) {
    return url->path == "/token" && request.body.starts_with('{') ? ok() : refused(place);
  }
  const std::string action = action_of(request.body);
  if (action.empty()) return refused(place);
  return is_admitted(action) ? ok() : refused(action);
}

}  // namespace tenon::aws
