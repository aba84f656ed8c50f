// A cluster under virtual time, without a cloud by default, and helpers that add objects and read them. Tests only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kubesim/actors/inbox.h"
#include "kubesim/actors/kinds.h"
#include "kubesim/actors/objects.h"
#include "kubesim/kubelet/kubelets.h"
#include "kubesim/scheduler/scheduler.h"
#include "kubesim/workloads/workloads.h"
#include "runtime/sim.h"

namespace tenon::kubesim {

class ApiServer;

namespace testing {

class World {
 public:
  struct Options {
    uint64_t seed = 1;
    std::function<std::unique_ptr<awssim::FakeAws>(runtime::Runtime&)> make_aws = {};  // empty: no cloud
    KubeletOptions kubelet = {};
    WorkloadOptions workloads = {};
  };
  explicit World(Options options);
  World() : World(Options{}) {}
  ~World();

  runtime::SimRuntime& sim() { return *sim_; }
  Api& api();
  awssim::FakeAws& aws() { return *aws_; }
  void run(Duration span) { sim_->run_for(span); }

  // Creates YAML documents; CHECKs that the server accepts them. Namespaced ones without a namespace go to "default".
  void apply(std::string_view yaml);
  // Adds a kwok node, which becomes Ready, in zone-a, with these quantities and extra labels ("a: b, c: d").
  void add_node(const std::string& name, const std::string& cpu = "4", const std::string& memory = "16Gi",
                const std::string& labels = "", const std::string& taints = "");
  void scale(const std::string& deployment, int replicas);
  // Evicts a pod of "default" over HTTP; returns the status code.
  int evict(const std::string& pod);
  void patch(const Resource& resource, const std::string& ns, const std::string& name, std::string_view yaml);

  Object get(const Resource& resource, const std::string& ns, const std::string& name);  // null if there is none
  std::vector<Object> list(const Resource& resource, std::string_view selector = {});
  std::vector<std::string> names(const Resource& resource, std::string_view selector = {});  // sorted
  // The status of an object (in namespace default); null if there is none.
  boost::json::value status(const Resource& resource, const std::string& name);
  // The number of pods (in all namespaces) that are bound to each node: "n1:3 n2:2"; pending ones as "-:1".
  std::string placement(std::string_view selector = {});
  int running(std::string_view selector = {});
  // Messages of the events with this reason, oldest first.
  std::vector<std::string> events(std::string_view reason);

 private:
  std::unique_ptr<runtime::SimRuntime> sim_;
  std::unique_ptr<ApiServer> api_;
  std::unique_ptr<awssim::FakeAws> aws_;
  std::unique_ptr<Scheduler> scheduler_;
  std::unique_ptr<Kubelets> kubelets_;
  std::unique_ptr<Workloads> workloads_;
};

// Returns a Deployment of `replicas` pods with the label app: <name>. Each pod requests `cpu`. `pod` is YAML that is
// merged into the pod's spec.
std::string deployment(const std::string& name, int replicas, const std::string& cpu, const std::string& pod = "{}");

}  // namespace testing
}  // namespace tenon::kubesim
