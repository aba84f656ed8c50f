// A cluster for tests: pools over a catalog, nodes with pods, pending pods; and the check that every test makes.
//
//   Cluster c;
//   c.pool(a_pool("default").build()).types(four_types());
//   c.pending(a_pod("a").cpu("1").build(), 5);
//   Solution s = c.solve();       // fails the test if check_solution finds fault with it
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/testing/builders.h"
#include "scheduling/input/solution.h"
#include "scheduling/input/solve_options.h"
#include "scheduling/solver.h"

namespace tenon::scheduling::testing {

struct NodeSpec {
  std::string name, type = "m5.large", zone = "us-east-1a", capacity_type = "on-demand", pool = "default";
  model::StringMap labels = {};
  std::vector<model::Taint> taints = {};
  bool managed = true, consolidatable = true, initialized = true;
};

class Cluster {
 public:
  Cluster();
  Cluster& types(std::vector<model::InstanceType> types);
  Cluster& pool(model::NodePool pool);
  Cluster& node(const NodeSpec& spec, std::vector<model::Pod> pods = {});
  Cluster& pending(const model::Pod& pod, int replicas = 1);  // NAME, or NAME-0, NAME-1, …
  Cluster& daemon(model::Pod pod_template);
  Snapshot& snapshot() { return snapshot_; }
  const Snapshot& build();
  Solution solve(const SolveOptions& options = {});

 private:
  Snapshot snapshot_;
  std::shared_ptr<const std::vector<model::InstanceType>> types_;
};

// "m5.large×2 r5.large": the planned nodes, sorted.
std::string launched_types(const Solution& solution);

}  // namespace tenon::scheduling::testing
