// What goes wrong with simulated machines, for tests: set between runs, obeyed from then on.
// Thread rule: any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>

namespace tenon::minicluster {

class MachineFaults {
 public:
  std::atomic<bool> join = true;   // machines that have booted become Nodes; those that have not by then never will
  std::atomic<bool> ready = true;  // Nodes that have joined become Ready

  std::atomic<int64_t> memory_less_mib =
      0;  // machines that join report so much less memory than their type should have

  // The kubelet of this Node neither starts nor stops a pod any more.
  void kill_kubelet(const std::string& node) {
    const std::lock_guard lock(mutex_);
    dead_.insert(node);
  }
  bool dead(const std::string& node) const {
    const std::lock_guard lock(mutex_);
    return dead_.contains(node);
  }

 private:
  mutable std::mutex mutex_;
  std::set<std::string> dead_;
};

}  // namespace tenon::minicluster
