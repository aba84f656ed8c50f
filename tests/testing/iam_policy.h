// IAM's evaluation of identity policies: actions, resources and the conditions that deploy/iam uses. Deny statements
// and unknown operators are faults of the policy under test (CHECK). Plain values; any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/value.hpp>
#include <map>
#include <string>
#include <vector>

namespace tenon::testing {

// What IAM judges for one resource of a request. A request is allowed if each of its questions is.
struct IamQuestion {
  std::string action, resource;                             // "ec2:RunInstances", an ARN or "*"
  std::map<std::string, std::vector<std::string>> context;  // condition keys, in lower case, and their values

  std::string text() const;
  auto operator<=>(const IamQuestion&) const = default;
};

// `policies`: documents with "Statement".
bool allowed(const std::vector<boost::json::value>& policies, const IamQuestion& question);

}  // namespace tenon::testing
