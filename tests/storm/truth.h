// The real state, read directly from the API server's store and the cloud: the checkers compare the actions of the
// controllers with it. Inexpensive to construct; it returns borrowed data. Thread rule: the running actor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "awssim/fake_aws.h"
#include "kubesim/api.h"
#include "model/price.h"
#include "runtime/runtime.h"
#include "storm/api_faults.h"

namespace tenon::storm {

// Data of the cloud, valid until an instance is launched or ends: there are many checks and few such changes.
struct LiveInstances {
  std::optional<uint64_t> version;  // version of the cloud
  std::vector<awssim::FakeInstance> all;
};

struct Truth {
  kubesim::Api& api;
  awssim::FakeAws& aws;
  runtime::Runtime& runtime;
  const ApiFaults& api_faults;
  LiveInstances& live;
  bool up = true;       // the controllers run
  bool elects = false;  // one of several replicas leads

  Instant now() const { return runtime.now(); }
  std::vector<kubesim::Object> pods() const { return list({"", "pods"}); }
  std::vector<kubesim::Object> nodes() const { return list({"", "nodes"}); }
  std::vector<kubesim::Object> claims() const { return list({"karpenter.sh", "nodeclaims"}); }
  std::vector<kubesim::Object> pools() const { return list({"karpenter.sh", "nodepools"}); }
  std::vector<kubesim::Object> disruption_budgets() const { return list({"policy", "poddisruptionbudgets"}); }
  std::vector<kubesim::Object> list(const kubesim::Resource& resource) const;
  kubesim::Object get(const kubesim::Resource& resource, std::string_view ns, std::string_view name) const;
  kubesim::Object claim_of(const boost::json::value& node) const;  // null if there is none
  std::map<std::string, kubesim::Object, std::less<>> claims_by_provider_id() const;
  const std::vector<awssim::FakeInstance>& live_instances() const;  // pending or running
};

// Applies to any object.
std::string name_of(const boost::json::value& object);
std::string key_of(const boost::json::value& object);  // namespace/name
std::string label(const boost::json::value& object, std::string_view key);
std::string annotation(const boost::json::value& object, std::string_view key);
bool deleting(const boost::json::value& object);
Instant created_at(const boost::json::value& object);
bool is_true(const boost::json::value& object, std::string_view condition);

// Prefix of the names of another provider's NodePool, NodeClaims, Node and pods.
inline constexpr std::string_view kForeign = "foreign-";

std::string provider_id(const awssim::FakeInstance& instance);
// Returns USD an hour by the catalog, whatever prices the controllers received.
model::Price price_of(const std::string& type, const std::string& zone, const std::string& capacity_type);

// Returns true if the node has the taint of a disruption command.
bool disrupted(const boost::json::value& node);
// The following functions are about pods.
bool on_node(const boost::json::value& pod, std::string_view node);  // and not ended
bool of_daemon_set(const boost::json::value& pod);
bool refuses_disruption(const boost::json::value& pod);                         // annotated do-not-disrupt
bool selects(const boost::json::value& budget, const boost::json::value& pod);  // by its matchLabels
// Since when one of these PodDisruptionBudgets that selects it allows no disruption; nothing: it may be disrupted now.
std::optional<Instant> protected_since(const std::vector<kubesim::Object>& budgets, const boost::json::value& pod);
// Returns when the pods of this node may be ended by force; std::nullopt: never.
std::optional<Instant> deadline(const Truth& truth, const boost::json::value& node);

}  // namespace tenon::storm
