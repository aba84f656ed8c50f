// NodeIndex: the nodes of the cluster, merged with their NodeClaims (node_views.h) and kept by change: a change costs
// the views that it concerns, and what a NodePool uses is known without a look at its nodes.
//
//   index.change(claim_before, claim_after);            // null: there was none, there is none
//   const PoolUse use = index.use("default", marked);   // for over_limits()
//
// Not thread-safe: the owner holds a lock.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/node.h"
#include "model/node_claim.h"
#include "scheduling/input/snapshot.h"
#include "state/limits.h"
#include "state/resource_sum.h"

namespace tenon::state {

class NodeIndex {
 public:
  using NodePtr = std::shared_ptr<const model::Node>;
  using ClaimPtr = std::shared_ptr<const model::NodeClaim>;

  void change(const NodePtr& before, const NodePtr& after);
  void change(const ClaimPtr& before, const ClaimPtr& after);

  // Returns the same as make_node_views() for all nodes and claims. `more`: claims that count if the index has none of
  // their name; a look at them costs what they concern.
  std::vector<scheduling::NodeView> views(const std::vector<ClaimPtr>& more) const;
  // Returns the same as pool_use() for views(more), in which the claims of the names `marked` are marked for deletion.
  PoolUse use(const std::string& pool, const std::vector<ClaimPtr>& more, const std::vector<std::string>& marked) const;

  size_t size() const { return groups_.size() + views_.size() + by_claim_.size() + pools_.size(); }  // of all tables
  // How many views changes have made, and use() has looked at, so far: the cost of an index, for tests.
  uint64_t steps() const { return steps_; }

 private:
  using Views = std::multimap<std::string, scheduling::NodeView>;  // by name
  // Objects that can only be merged with each other: those of one provider id, or one object without a provider id.
  using GroupKey = std::pair<char, std::string>;
  struct Group {
    std::map<std::string, NodePtr> nodes;    // by name
    std::map<std::string, ClaimPtr> claims;  // by name
    std::vector<Views::iterator> views;
  };
  struct Pool {
    ResourceSum settled;            // of views that neither wait nor end
    std::set<std::string> waiting;  // names of claims without an instance
    size_t views = 0;
  };

  static GroupKey key_of(const model::Node& node);
  static GroupKey key_of(const model::NodeClaim& claim);
  template <class Object>
  void change(const std::shared_ptr<const Object>& before, const std::shared_ptr<const Object>& after,
              std::map<std::string, std::shared_ptr<const Object>> Group::* objects);
  void merge(const GroupKey& key);
  // The views that `more` replaces, and those in their place.
  struct Changed {
    std::vector<const scheduling::NodeView*> replaced;
    std::vector<scheduling::NodeView> made;
  };
  Changed with(const std::vector<ClaimPtr>& more) const;
  std::vector<scheduling::NodeView> views_of(const Group& group) const;
  void count(const Views::iterator& view, bool added);

  std::map<GroupKey, Group> groups_;
  Views views_;
  std::map<std::string, Views::iterator> by_claim_;  // by the claim's name
  std::map<std::string, Pool, std::less<>> pools_;   // those that have views
  mutable uint64_t steps_ = 0;
};

}  // namespace tenon::state
