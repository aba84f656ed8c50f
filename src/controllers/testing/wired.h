// A cloud that is a list of instances, and the parts that a controller receives, over a FakeApi in virtual time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "controllers/context.h"
#include "http/loopback_transport.h"
#include "kube/testing/fake_api.h"
#include "metrics/registry.h"
#include "runtime/sim.h"

namespace tenon::controllers::testing {

class FakeCloud : public cloud::Provider {
 public:
  std::vector<cloud::Instance> listed, there;  // the results of list() and of get()
  Code get_error = Code::kNotFound;            // for an instance that is not in `there`
  std::vector<std::string> ended;              // provider ids
  std::vector<cloud::RepairPolicy> policies;

  Status remove(const std::string& id, const std::stop_token&) override {
    ended.push_back(id);
    const auto is_it = [&](const cloud::Instance& instance) { return instance.provider_id == id; };
    for (auto* instances : {&listed, &there}) std::erase_if(*instances, is_it);
    return ok();
  }
  Result<cloud::Instance> get(const std::string& id, const std::stop_token&) override {
    for (const auto& instance : there) {
      if (instance.provider_id == id) return instance;
    }
    return fail(get_error, id + " is not known");
  }
  Result<std::vector<cloud::Instance>> list(const std::stop_token&) override { return listed; }

  // The other methods are stubs.
  bool manages(const model::NodeClassRef&) const override { return true; }
  Result<cloud::Instance> create(const model::NodeClaim&, const model::NodeClass&, const cloud::InstanceTypes&,
                                 const std::stop_token&) override {
    return fail(Code::kInternal, "not asked");
  }
  Result<bool> name_instance(const model::NodeClaim&, const std::stop_token&) override { return false; }
  Result<cloud::InstanceTypes> instance_types(const model::NodeClass&, const std::stop_token&) override {
    return cloud::InstanceTypes();
  }
  Result<cloud::InstanceTypes> known_types(const model::NodeClass&) override { return cloud::InstanceTypes(); }
  Result<std::string> drifted(const model::NodeClaim&, const model::NodeClass&, const std::stop_token&) override {
    return std::string();
  }
  Result<model::NodeClass> resolve(const model::NodeClass& node_class, const std::vector<model::NodePool>&,
                                   const std::stop_token&) override {
    return node_class;
  }
  Status finalize(const model::NodeClass&, const std::stop_token&) override { return ok(); }
  Result<std::vector<std::string>> remove_stray_profiles(const std::set<std::string>&,
                                                         const std::stop_token&) override {
    return std::vector<std::string>();
  }
  std::string hash(const model::NodeClass&) const override { return ""; }
  std::string hash_version() const override { return ""; }
  void learn(const model::NodeClaim&, const model::NodeClass&, const model::Resources&) override {}
  void taken_back(const model::NodeClaim&) override {}
  Result<std::vector<cloud::SickInstance>> sick_instances(const std::stop_token&) override {
    return std::vector<cloud::SickInstance>();
  }
  Result<std::vector<cloud::Zone>> shifted_zones(const std::stop_token&) override { return std::vector<cloud::Zone>(); }
  std::string launch_failure(const Error&) const override { return ""; }
  std::vector<cloud::RepairPolicy> repair_policies() const override { return policies; }
};

struct Wired {
  Wired() { cluster.types_asked(); }

  std::unique_ptr<runtime::SimRuntime> sim = runtime::make_sim_runtime({});
  kube::testing::FakeApi api{*sim};
  std::unique_ptr<http::Transport> transport = http::make_loopback_transport({{"api", &api}});
  std::unique_ptr<kube::Client> client = kube::make_client(*sim, *transport, {.server = "http://api"});
  metrics::Registry registry;
  kube::EventRecorder events{*sim, *client, registry};
  Applier applier{*sim, *client, events};
  state::Cluster cluster{*sim, *client, {.types_of = [](const model::NodePool&) { return state::PoolTypes(); }}};
  FakeCloud cloud;
  Metrics metrics{registry};
  RegistrationHealth health;
  std::vector<std::string> decided, failed;  // the lines that a log would have
  Context context{*sim,
                  cluster,
                  applier,
                  cloud,
                  metrics,
                  health,
                  [this](const std::string& line) { decided.push_back(line); },
                  [this](const std::string& controller, const std::string& key, const Error& error) {
                    failed.push_back(controller + " " + key + ": " + error.message);
                  }};
};

}  // namespace tenon::controllers::testing
