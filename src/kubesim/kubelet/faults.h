// Injects faults into simulated machines, for tests. A fault takes effect when it is set.
// Thread rule: any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>

namespace tenon::kubesim {

class MachineFaults {
 public:
  std::atomic<bool> join = true;   // machines that boot join as Nodes; those that boot while it is false never do
  std::atomic<bool> ready = true;  // Nodes that have joined become Ready; if false, they stay NotReady

  std::atomic<int64_t> memory_less_mib = 0;  // machines that join report less memory than their type, by this amount

  // Stops the kubelet of this Node: it no longer starts or stops pods.
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

}  // namespace tenon::kubesim
