// A cloud in memory, for tests of controllers: instances are entries of a map. It passes the conformance tests of
// providers (tests/integration/provider_conformance_test.cc). A test may also change what the cloud reports.
// Thread rule: any thread; the public members before the first call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cloud/aws_provider/interruption/lost_instances.h"
#include "cloud/provider.h"
#include "runtime/runtime.h"

namespace tenon::cloud::testing {

class MemoryProvider final : public Provider {
 public:
  static constexpr Duration kAvoidFor = 3min;  // an offering after taken_back()

  explicit MemoryProvider(runtime::Runtime& runtime) : runtime_(runtime) {}

  // For tests.
  std::vector<model::InstanceType> types;  // of every node class; by name
  std::vector<RepairPolicy> policies;
  std::vector<SickInstance> sick;
  std::vector<Zone> shifted;
  std::optional<Code> outage;        // the error of get()
  std::vector<std::string> removed;  // provider ids, one entry for each remove()
  // The instance exists from now on.
  void put(Instance instance);
  // The instance ends, neither by us nor announced.
  void end(const std::string& provider_id);
  void end_all();
  // list() lacks all instances that exist now.
  void hide_all();

  Result<Instance> create(const model::NodeClaim& claim, const model::NodeClass& node_class,
                          const InstanceTypes& of_pool, const std::stop_token& stop) override;
  Status remove(const std::string& provider_id, const std::stop_token& stop) override;
  Result<bool> name_instance(const model::NodeClaim& claim, const std::stop_token& stop) override;
  Status finalize(const model::NodeClass& node_class, const std::stop_token& stop) override;
  Result<std::vector<std::string>> remove_stray_profiles(const std::set<std::string>& in_use,
                                                         const std::stop_token& stop) override;
  void taken_back(const model::NodeClaim& claim) override;
  void end_announced(const model::NodeClaim& claim) override;

  Result<Instance> get(const std::string& provider_id, const std::stop_token& stop) override;
  Result<std::vector<Instance>> list(const std::stop_token& stop) override;
  std::vector<std::string> take_lost() override { return lost_.take(); }

  Result<InstanceTypes> instance_types(const model::NodeClass& node_class, const std::stop_token& stop) override;
  Result<InstanceTypes> known_types(const model::NodeClass& node_class) override;
  void learn(const model::NodeClaim& claim, const model::NodeClass& node_class,
             const model::Resources& capacity) override;

  bool manages(const model::NodeClassRef& ref) const override;
  Result<model::NodeClass> resolve(const model::NodeClass& node_class, const std::vector<model::NodePool>& pools,
                                   const std::stop_token& stop) override;
  std::string hash(const model::NodeClass& node_class) const override;
  std::string hash_version() const override { return "memory"; }
  Result<std::string> drifted(const model::NodeClaim& claim, const model::NodeClass& node_class,
                              const std::stop_token& stop) override;

  Result<std::vector<SickInstance>> sick_instances(const std::stop_token&) override { return sick; }
  Result<std::vector<Zone>> shifted_zones(const std::stop_token&) override { return shifted; }
  std::vector<RepairPolicy> repair_policies() const override { return policies; }
  std::string launch_failure(const Error&) const override { return "LaunchFailed"; }
  Result<model::Price> highest_price(const model::NodeClaim& claim,
                                     const std::vector<model::InstanceType>& offered) const override;

 private:
  struct Entry {
    Instance instance;
    std::set<std::string> names;  // tags that name_instance() wrote
    bool listed = true;
  };
  struct Choice {
    const model::InstanceType* type = nullptr;
    const model::Offering* offering = nullptr;
  };
  Choice cheapest(const model::NodeClaim& claim, const std::vector<model::InstanceType>& offered) const;
  bool avoided(const std::string& type, const model::Offering& offering) const;  // needs mutex_

  runtime::Runtime& runtime_;
  LostInstances lost_;
  mutable std::mutex mutex_;
  std::map<std::string, Entry> entries_;                   // by provider id
  std::map<std::string, std::string> launched_;            // provider ids by claim uid
  std::map<std::string, Instant> avoided_until_;           // by "type zone"; spot
  std::optional<std::vector<model::InstanceType>> known_;  // std::nullopt before instance_types()
};

}  // namespace tenon::cloud::testing
