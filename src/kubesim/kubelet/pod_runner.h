// The part of the kubelet actor that runs pods: Pending → Running (→ Succeeded), and ends deleted pods. Owned by the
// actor's thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>

#include "kubesim/actors/objects.h"
#include "kubesim/actors/timers.h"
#include "kubesim/kubelet/machines.h"

namespace tenon::kubesim {

class PodRunner {
 public:
  PodRunner(runtime::Runtime& runtime, Api& api, const Machines& machines, const KubeletOptions& options)
      : runtime_(runtime), api_(api), machines_(machines), options_(options) {}

  void on_pod(const WatchEvent& event);
  // Call it when the node's readiness may have changed or the node is deleted.
  void on_node(const std::string& node);
  void tick(Instant now);
  Instant next_due() const { return timers_.next(); }

 private:
  enum class Stage { kNew, kCreating, kRunning, kStopping };
  struct Pod {
    Object object;
    std::string node;
    Stage stage = Stage::kNew;
  };
  struct Todo {
    ObjectKey key;
    std::string uid;
    enum class Step { kRun, kComplete, kStop } step;
  };
  void advance(Pod& pod);
  void start(Pod& pod);
  void run(Pod& pod);
  void complete(Pod& pod);
  void stop(Pod& pod);
  Duration delay(const Pod& pod, std::string_view stage, Duration otherwise) const;
  std::string next_pod_ip();
  void event(const Pod& pod, std::string_view reason, std::string_view verb);

  runtime::Runtime& runtime_;
  Api& api_;
  const Machines& machines_;
  const KubeletOptions& options_;
  std::map<ObjectKey, Pod> pods_;  // bound pods
  std::map<std::string, std::set<ObjectKey>> by_node_;
  Timers<Todo> timers_;
  uint32_t addresses_ = 0;  // assigned so far
};

}  // namespace tenon::kubesim
