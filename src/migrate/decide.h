// Decides how a cluster of v0.27 becomes one of v1: NodePools and EC2NodeClasses are created, each node gets a
// NodeClaim of its NodePool (handover.h), and at last the Provisioners and AWSNodeTemplates are deleted. A run that was
// interrupted observes what is done and decides the rest. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "migrate/observed.h"
#include "migrate/write.h"
#include "schema/known_schemas.h"

namespace tenon::migrate {

struct Plan {
  std::vector<Write> writes;
  std::vector<std::string> findings;  // what changes its meaning, and what a user has to do: "Provisioner/default: …"
  std::vector<std::string> refused;   // not empty: nothing may be written
};

Plan decide(const Observed& observed, const schema::KnownSchemas& schemas);

// The steps of decide().

// The NodePools and EC2NodeClasses that the objects of v0.27 become. pools.cc
struct Converted {
  Documents pools, classes;  // of pools, also those that an earlier run has created
  std::vector<Write> writes;
};
Converted convert_pools(const Observed& observed, const schema::KnownSchemas& schemas, Plan& plan);
// Writes of the nodes of Provisioners; `pools` are those of Converted. nodes.cc
std::vector<Write> convert_nodes(const Observed& observed, const Documents& pools, Plan& plan);

}  // namespace tenon::migrate
