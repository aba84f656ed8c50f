// The field that carries the rule of a scenario. Without the field the scenario must not go as expected; otherwise the
// scenario passes whether or not the rule is implemented. A scenario states
//
//   rule: NodePool.spec.limits           # a path, or a list of paths, each of which counts by itself
//   noRule: why no field carries a rule
//
// In a file of manifests a path begins with a kind, and may name one object: Pod/a.spec.tolerations[0]. The path of a
// kind alone selects the whole documents; the items of Lists are included. In a Life document the path begins at its
// top: pool.spec.template.spec.expireAfter. A member of a list selects that member of each item that has it. A key with
// a dot is quoted: Node.metadata.annotations."karpenter.sh/do-not-disrupt".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <vector>

#include "base/result.h"

namespace tenon::scenarios {

struct Rule {
  std::vector<std::string> paths;  // empty: the scenario has none
};

// Reads a document of kind Expectation or Life. Errors: kInvalid: it states neither or both, or no text.
Result<Rule> rule_of(const boost::json::value& document);

// Errors: kInvalid: the path does not parse; kNotFound: it selects nothing.
Status remove_field(boost::json::value& document, const std::string& path);
Status remove_from_manifests(std::vector<boost::json::value>& documents, const std::string& path);

// Returns the paths that can be removed: of a Life's steps only whole actions, of an Expectation only flags.
std::vector<std::string> fields_of(const boost::json::value& document);
std::vector<std::string> fields_of_manifests(const std::vector<boost::json::value>& documents);

}  // namespace tenon::scenarios
