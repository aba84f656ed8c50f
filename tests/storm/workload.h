// The workload of a storm: a few Deployments of different sizes and constraints, a DaemonSet, PodDisruptionBudgets, two
// NodePools, in some storms a Provisioner of the earlier API beside them, and some objects of another provider; and the
// edits of users while the storm runs. All drawn from a seed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/prng.h"
#include "kubesim/api.h"
#include "storm/foreign.h"

namespace tenon::storm {

class Workload {
 public:
  Workload(uint64_t seed, kubesim::Api& api, bool both_generations)
      : prng_(seed), api_(api), both_generations_(both_generations) {}

  // Creates all objects that exist from the start; Deployments without replicas.
  void set_up();
  // Makes one random edit: mostly replicas; sometimes a budget, a limit, a NodePool's label, a volume's size, a
  // PodDisruptionBudget, a pod's annotation.
  void edit();
  // Edits the NodePool of another provider.
  void edit_foreign() { edit_foreign_pool(api_, prng_); }
  // For the end: neither limits, budgets nor PodDisruptionBudgets prevent anything, and there is some load.
  void relax();

 private:
  void scale();
  void edit_pool();
  void edit_provisioner();
  void annotate_a_pod();

  Prng prng_;
  kubesim::Api& api_;
  const bool both_generations_;
  std::vector<std::string> deployments_;
};

}  // namespace tenon::storm
