// The arithmetic of a Deployment's rollout, and its status. Pure functions on the objects.
// parity: k8s.io/kubernetes pkg/controller/deployment/{rolling,progress}.go, util/deployment_util.go.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kubesim/actors/objects.h"
#include "kubesim/api.h"

namespace tenon::kubesim {

int64_t replicas_of(const boost::json::value& set);  // spec.replicas
int64_t total_replicas(const std::vector<Object>& sets);

struct ProportionalSet {
  int64_t replicas = 0;
  int64_t maximum = 0;  // replicas + surge when it was last scaled; 0 if unknown
};

// The limits that spec.replicas and spec.strategy set.
struct Rollout {
  explicit Rollout(const boost::json::value& deployment);
  // Returns the number of replicas that the newest set should have now.
  int64_t replicas_for_new(int64_t current, int64_t old) const;
  // Returns the new sizes of the old sets: removes unhealthy pods first, then as many as availability permits. Oldest
  // first.
  std::vector<int64_t> shrink_old(const boost::json::value& current, const std::vector<Object>& old) const;
  // Returns new sizes that add up to the allowed number and keep the proportions. The largest set takes the rounding
  // difference.
  std::vector<int64_t> proportional(const std::vector<ProportionalSet>& sets) const;

  bool recreate = false;
  int64_t replicas = 1, max_surge = 0, max_unavailable = 0;
};

struct RolloutStatus {
  RolloutStatus(const boost::json::value& deployment, const Object& current, const std::vector<Object>& old);
  void write_counts(boost::json::value& deployment) const;
  // Writes Progressing and Available. created: the name of a set that was just created, or empty.
  void write_conditions(boost::json::value& deployment, const std::string& created, Instant now) const;
  // The time at which the rollout exceeds its deadline; std::nullopt if none is in progress.
  std::optional<Instant> deadline(const boost::json::value& deployment) const;

  bool complete = false;

 private:
  void write_progress(boost::json::value& deployment, const std::string& created, Instant now) const;
  int64_t wanted_ = 0, replicas_ = 0, updated_ = 0, ready_ = 0, available_ = 0;
  bool enough_available_ = false;
  std::string current_;  // name of the newest set
};

}  // namespace tenon::kubesim
