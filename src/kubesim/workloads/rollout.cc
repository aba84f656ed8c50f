// SPDX-License-Identifier: Apache-2.0
#include "kubesim/workloads/rollout.h"

#include <fmt/format.h>

#include <algorithm>

#include "json/json.h"

namespace tenon::kubesim {
namespace {

int64_t status_count(const json::value& object, std::string_view field) {
  return json::int_at(object, {"status", field});
}

// A Deployment's conditions have a lastUpdateTime as well; `touch` counts as a change.
void set_dated(json::value& deployment, const Condition& condition, bool touch, Instant now) {
  if (!set_condition(deployment, condition, now) && !touch) return;
  for (json::value& entry : json::ensure(deployment, {"status", "conditions"}).as_array())
    if (json::string_at(entry, {"type"}) == condition.type) entry.as_object()["lastUpdateTime"] = format_rfc3339(now);
}

}  // namespace

int64_t replicas_of(const json::value& set) { return json::int_at(set, {"spec", "replicas"}, 1); }

int64_t total_replicas(const std::vector<Object>& sets) {
  int64_t total = 0;
  for (const Object& set : sets) total += replicas_of(*set);
  return total;
}

Rollout::Rollout(const json::value& deployment) {
  replicas = json::int_at(deployment, {"spec", "replicas"}, 1);
  recreate = json::string_at(deployment, {"spec", "strategy", "type"}) == "Recreate";
  if (recreate) return;
  const auto rolling = [&](std::string_view field, bool round_up) {
    const json::value* value = json::find(deployment, {"spec", "strategy", "rollingUpdate", field});
    return int_or_percent(value, replicas, round_up, (replicas + (round_up ? 3 : 0)) / 4);
  };
  max_surge = rolling("maxSurge", true);
  max_unavailable = std::min(rolling("maxUnavailable", false), replicas);
  if (max_surge == 0 && max_unavailable == 0) max_unavailable = 1;
}

int64_t Rollout::replicas_for_new(int64_t current, int64_t old) const {
  if (recreate || current > replicas) return replicas;
  const int64_t room = replicas + max_surge - current - old;
  return current + std::clamp<int64_t>(room, 0, replicas - current);
}

std::vector<int64_t> Rollout::shrink_old(const json::value& current, const std::vector<Object>& old) const {
  std::vector<int64_t> sizes;
  for (const Object& set : old) sizes.push_back(replicas_of(*set));
  const int64_t minimum = replicas - max_unavailable;
  const int64_t new_unavailable = replicas_of(current) - status_count(current, "availableReplicas");
  int64_t may_go = replicas_of(current) + total_replicas(old) - minimum - new_unavailable;
  if (may_go <= 0) return sizes;
  for (size_t i = 0; i < old.size() && may_go > 0; ++i) {
    const int64_t unhealthy = std::clamp<int64_t>(sizes[i] - status_count(*old[i], "availableReplicas"), 0, may_go);
    sizes[i] -= unhealthy;
    may_go -= unhealthy;
  }
  int64_t available = status_count(current, "availableReplicas");
  for (const Object& set : old) available += status_count(*set, "availableReplicas");
  int64_t spare = available - minimum;
  for (size_t i = 0; i < old.size() && spare > 0; ++i) {
    const int64_t step = std::min(sizes[i], spare);
    sizes[i] -= step;
    spare -= step;
  }
  return sizes;
}

std::vector<int64_t> Rollout::proportional(const std::vector<ProportionalSet>& sets) const {
  std::vector<int64_t> sizes;
  int64_t total = 0;
  for (const ProportionalSet& set : sets) {
    sizes.push_back(set.replicas);
    total += set.replicas;
  }
  const int64_t allowed = replicas > 0 ? replicas + max_surge : 0;
  const int64_t to_add = allowed - total;
  std::vector<size_t> order(sets.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return sizes[a] > sizes[b]; });
  int64_t added = 0;
  for (const size_t i : order) {
    if (to_add == 0 || sizes[i] == 0) continue;
    const int64_t maximum = sets[i].maximum > 0 ? sets[i].maximum : total;
    const double fair = static_cast<double>(sizes[i]) * static_cast<double>(allowed) / static_cast<double>(maximum);
    int64_t step = static_cast<int64_t>(fair + 0.5) - sizes[i];
    step = to_add > 0 ? std::min(step, to_add - added) : std::max(step, to_add - added);
    sizes[i] += step;
    added += step;
  }
  if (!order.empty()) sizes[order[0]] = std::max<int64_t>(0, sizes[order[0]] + to_add - added);
  return sizes;
}

RolloutStatus::RolloutStatus(const json::value& deployment, const Object& current, const std::vector<Object>& old) {
  const Rollout rollout(deployment);
  wanted_ = rollout.replicas;
  const auto add = [&](const json::value& set) {
    replicas_ += status_count(set, "replicas");
    ready_ += status_count(set, "readyReplicas");
    available_ += status_count(set, "availableReplicas");
  };
  for (const Object& set : old) add(*set);
  if (current != nullptr) {
    add(*current);
    updated_ = status_count(*current, "replicas");
    current_ = name_of(*current);
  }
  enough_available_ = available_ >= wanted_ - rollout.max_unavailable;
  complete = current != nullptr && updated_ == wanted_ && replicas_ == wanted_ && available_ == wanted_;
}

void RolloutStatus::write_counts(json::value& deployment) const {
  status_of(deployment)["observedGeneration"] = json::int_at(deployment, {"metadata", "generation"});
  set_count(deployment, "replicas", replicas_);
  set_count(deployment, "updatedReplicas", updated_);
  set_count(deployment, "readyReplicas", ready_);
  set_count(deployment, "availableReplicas", available_);
  set_count(deployment, "unavailableReplicas", std::max<int64_t>(0, wanted_ - available_));
}

void RolloutStatus::write_conditions(json::value& deployment, const std::string& created, Instant now) const {
  if (enough_available_)
    set_dated(deployment, {"Available", "True", "MinimumReplicasAvailable", "Deployment has minimum availability."},
              false, now);
  else
    set_dated(deployment,
              {"Available", "False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability."},
              false, now);
  write_progress(deployment, created, now);
}

void RolloutStatus::write_progress(json::value& deployment, const std::string& created, Instant now) const {
  if (json::find(deployment, {"spec", "progressDeadlineSeconds"}) == nullptr) return;
  if (json::bool_at(deployment, {"spec", "paused"})) {
    set_dated(deployment, {"Progressing", "Unknown", "DeploymentPaused", "Deployment is paused"}, false, now);
    return;
  }
  if (!created.empty())
    set_dated(deployment,
              {"Progressing", "True", "NewReplicaSetCreated", fmt::format("Created new replica set \"{}\"", created)},
              true, now);
  const json::value* last = find_condition(deployment, "Progressing");
  const bool was_complete = last != nullptr && json::string_at(*last, {"reason"}) == "NewReplicaSetAvailable" &&
                            json::int_at(deployment, {"status", "observedGeneration"}) ==
                                json::int_at(deployment, {"metadata", "generation"});
  const bool moved =
      updated_ > status_count(deployment, "updatedReplicas") ||
      replicas_ - updated_ < status_count(deployment, "replicas") - status_count(deployment, "updatedReplicas") ||
      ready_ > status_count(deployment, "readyReplicas") || available_ > status_count(deployment, "availableReplicas");
  if (complete) {
    const std::string text = fmt::format("ReplicaSet \"{}\" has successfully progressed.", current_);
    set_dated(deployment, {"Progressing", "True", "NewReplicaSetAvailable", text}, false, now);
  } else if (was_complete && replicas_ == updated_) {
    return;  // only scaled: not a rollout
  } else if (last == nullptr || moved) {
    const std::string text = fmt::format("ReplicaSet \"{}\" is progressing.", current_);
    set_dated(deployment, {"Progressing", "True", "ReplicaSetUpdated", text}, true, now);
  } else if (const auto limit = deadline(deployment); limit && *limit <= now) {
    const std::string text = fmt::format("ReplicaSet \"{}\" has timed out progressing.", current_);
    set_dated(deployment, {"Progressing", "False", "ProgressDeadlineExceeded", text}, false, now);
  }
}

std::optional<Instant> RolloutStatus::deadline(const json::value& deployment) const {
  const json::value* last = find_condition(deployment, "Progressing");
  if (complete || last == nullptr || json::string_at(*last, {"status"}) != "True" ||
      json::string_at(*last, {"reason"}) == "NewReplicaSetAvailable")
    return std::nullopt;
  return time_at(*last, {"lastUpdateTime"}) +
         std::chrono::seconds(json::int_at(deployment, {"spec", "progressDeadlineSeconds"}, 600));
}

}  // namespace tenon::kubesim
