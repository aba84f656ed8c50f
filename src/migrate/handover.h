// Problem: a running node must get another owner: another NodeClaim, or none. The spec of a NodeClaim is immutable, so
// a new one is created; and at no moment may a controller that starts then end the instance, or launch another one.
//
// Method: at no time two NodeClaims have the same instance, because a controller would take one of them for an empty
// node. So the first one is removed before the second one is created, and in between the instance is hidden from the
// garbage collection, which finds instances by their tags:
//
//   1. remove the tag karpenter.k8s.aws/ec2nodeclass   the collector no longer lists the instance
//   2. remove the owner from the Node                  the Node does not end with its NodeClaim
//   3. remove the finalizer of the NodeClaim           its deletion drains and terminates nothing
//   4. delete the NodeClaim                            the Node has no owner now: no controller touches it
//   5. create the other NodeClaim                      its annotation names the instance: a controller launches none
//   6. write its status
//   7. labels, annotations, finalizer and owner of the Node
//   8. tags of the instance                            the collector lists it again
//
// A node that Karpenter v0.27 launched has no NodeClaim and no such tag: it starts with step 5. So does a node on which
// an earlier run was interrupted after step 4. Steps that are done already are left out.
// Pure. docs/decisions/0041-one-owner-at-a-time.md
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/value.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "migrate/observed.h"
#include "migrate/write.h"

namespace tenon::migrate {

// The owner and the metadata that a node gets.
struct Handover {
  const boost::json::value* node = nullptr;       // the Node as it is
  std::vector<const boost::json::value*> claims;  // NodeClaims of its instance
  const aws::InstanceInfo* instance = nullptr;
  // The NodeClaim to be, with its status; null: none. Its pool is an owner reference without a uid.
  boost::json::value claim = {};
  boost::json::value node_owners = {};  // an array; owners without a uid as in Write
  // Keys and values of the Node; std::nullopt: without this key. Other keys stay.
  std::map<std::string, std::optional<std::string>> labels, annotations;
  aws::Tags tags = {};                // that the instance gets
  std::vector<std::string> tags_off;  // that it loses
};

// Returns steps 1, 2 to 7, and 8 of one node. The steps of several nodes are put together by together().
struct Steps {
  std::vector<Write> hide, move, show;
};
Steps steps_of(const Handover& handover);
// Returns the writes of all nodes in order; equal changes of tags are one write.
std::vector<Write> together(const std::vector<Steps>& all);

// Returns whether `claim` is what `wanted` is: of the same pool and the same class.
bool same_owner(const boost::json::value& claim, const boost::json::value& wanted);

}  // namespace tenon::migrate
