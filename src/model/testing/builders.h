// Builders of small objects for tests; their code reads like a description.
//
//   a_pod("web-0").cpu("2").memory("4Gi").label("app", "web").build()
//   a_pool("default").require("karpenter.sh/capacity-type", {"on-demand"}).limit("cpu", "1000").build()
//   a_type("m5.large").cpu("2").memory("8Gi").offer("us-east-1a", "on-demand", "0.096").build()
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/instance_type.h"
#include "model/node.h"
#include "model/node_claim.h"
#include "model/node_pool.h"
#include "model/pod.h"

namespace tenon::model::testing {

inline const Instant kNow = Instant(Duration(std::chrono::hours(24) * 20'000));

class PodBuilder {
 public:
  explicit PodBuilder(std::string name);
  PodBuilder& ns(std::string name);
  PodBuilder& cpu(std::string_view amount) { return request(kCpu, amount); }
  PodBuilder& memory(std::string_view amount) { return request(kMemory, amount); }
  PodBuilder& request(std::string_view resource, std::string_view amount);
  PodBuilder& label(std::string key, std::string value);
  PodBuilder& annotation(std::string key, std::string value);
  PodBuilder& select(std::string key, std::string value);
  // Adds an alternative to the required node affinity.
  PodBuilder& require(std::vector<RequirementSpec> term);
  PodBuilder& prefer(int weight, std::vector<RequirementSpec> term);
  PodBuilder& tolerate(std::string key, std::string op = "Exists", std::string value = "", std::string effect = "");
  // Spreads over pods with the label app=NAME.
  PodBuilder& spread(std::string topology_key, std::string app, int max_skew = 1);
  PodBuilder& spread_anyway(std::string topology_key, std::string app, int max_skew = 1);
  PodBuilder& with(std::string topology_key, std::string app);     // required pod affinity
  PodBuilder& without(std::string topology_key, std::string app);  // required pod anti-affinity
  PodBuilder& prefer_without(int weight, std::string topology_key, std::string app);
  PodBuilder& host_port(int port);
  PodBuilder& claim(std::string claim_name);
  PodBuilder& priority(int value);
  PodBuilder& created(Instant at);
  PodBuilder& owner(std::string kind, std::string name);
  PodBuilder& running_on(std::string node);
  Pod build() const { return pod_; }

 private:
  Pod pod_;
};

class PoolBuilder {
 public:
  explicit PoolBuilder(std::string name);
  PoolBuilder& require(std::string key, std::vector<std::string> values, Operator op = Operator::kIn,
                       std::optional<int> min_values = std::nullopt);
  PoolBuilder& label(std::string key, std::string value);
  PoolBuilder& taint(std::string key, std::string value = "", std::string effect = "NoSchedule");
  PoolBuilder& limit(std::string resource, std::string_view amount);
  PoolBuilder& weight(int value);
  PoolBuilder& budget(std::string nodes, std::vector<std::string> reasons = {});
  PoolBuilder& policy(ConsolidationPolicy policy);
  NodePool build() const { return pool_; }

 private:
  NodePool pool_;
};

class TypeBuilder {
 public:
  explicit TypeBuilder(std::string name);  // amd64, linux, 110 pods, labels of its family and size
  TypeBuilder& cpu(std::string_view amount) { return capacity(kCpu, amount); }
  TypeBuilder& memory(std::string_view amount) { return capacity(kMemory, amount); }
  TypeBuilder& capacity(std::string_view resource, std::string_view amount);
  TypeBuilder& overhead(std::string_view resource, std::string_view amount);
  TypeBuilder& label(std::string key, std::vector<std::string> values);
  TypeBuilder& offer(std::string zone, std::string capacity_type, std::string_view usd, bool available = true);
  TypeBuilder& reserve(std::string zone, std::string id, int instances, std::string_view usd);
  InstanceType build() const { return type_; }

 private:
  InstanceType type_;
};

inline PodBuilder a_pod(std::string name) { return PodBuilder(std::move(name)); }
inline PoolBuilder a_pool(std::string name) { return PoolBuilder(std::move(name)); }
inline TypeBuilder a_type(std::string name) { return TypeBuilder(std::move(name)); }

// Returns c5.large, m5.large, r5.large and m5.xlarge as AWS offers them in us-east-1: capacity without the 7.5 % of the
// memory that the hypervisor reserves, EKS' reservations, on-demand in zones a to d, and spot at 0.35, 0.32, 0.38, 0.30
// of that price. An m5.large holds six pods of 1Gi, a c5.large three, an r5.large fourteen, an m5.xlarge thirteen.
std::vector<InstanceType> four_types();
// Returns one of four_types() by name.
InstanceType known_type(std::string_view name);

}  // namespace tenon::model::testing
