// The objects that `tenon adopt` reads before it judges a cluster, as the API server returns them. observe.cc
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "kube/client.h"
#include "migrate/lease.h"

namespace tenon::adopt {

using Documents = std::vector<boost::json::value>;

struct RoleAnswer {
  Documents policies;    // attached and inline
  bool bounded = false;  // a permissions boundary limits them, which is not read
};
struct CloudAnswers {
  std::optional<Result<RoleAnswer>> role;  // nothing: not asked
  std::optional<Status> queue;             // the same; ok: it exists
  std::string not_asked;                   // the cause
};

struct Observed {
  Documents definitions;                    // CRDs of Karpenter's groups
  Documents pools, classes, claims;         // of v1
  Documents validating, mutating;           // all webhook configurations of the cluster
  std::set<std::string> services;           // "namespace/name"
  Documents deployments;                    // all of the cluster
  Documents service_accounts;               // of Karpenter's Deployments
  std::vector<migrate::FoundLease> leases;  // of the controllers, in all namespaces
  std::string cluster;                      // uid of the namespace kube-system
  CloudAnswers cloud;                       // not set by observe()
};

// Karpenter's Deployment, by its label or its image.
bool is_karpenter(const boost::json::value& deployment);

// Reads the cluster. A kind that the API server does not serve has no objects; any other error ends the reading,
// because an absent answer must not look like an absent problem. Errors: those of the client, with the kind.
Result<Observed> observe(kube::Client& client, const std::string& lease_name, Instant now, const std::stop_token& stop);

}  // namespace tenon::adopt
