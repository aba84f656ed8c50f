// Outcomes of the last launches of each NodePool: the source of its condition NodeRegistrationHealthy. Shared by the
// controllers; in memory only, and restored from the condition after a restart.
// parity: karpenter pkg/state/nodepoolhealth, pkg/controllers/nodepool/registrationhealth
// Thread rule: any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace tenon::controllers {

class RegistrationHealth {
 public:
  static constexpr size_t kRemembered = 4;   // outcomes of a NodePool
  static constexpr size_t kUnhealthyAt = 2;  // failures among them

  // The content of the condition; absent until an outcome decides it.
  struct Verdict {
    bool healthy = true;
    std::string reason, message;  // of the failure
  };

  void succeeded(const std::string& pool_uid);
  void failed(const std::string& pool_uid, std::string reason, std::string message);
  // The pool or its class was edited: earlier outcomes no longer count.
  void reset(const std::string& pool_uid);
  // `condition`: the status that the pool has; it represents the outcomes before this process began.
  std::optional<Verdict> verdict(const std::string& pool_uid, const std::string& condition);

 private:
  struct Pool {
    std::deque<bool> outcomes;  // true: registered
    std::optional<Verdict> verdict;
    size_t failures() const;
    void add(bool success);
  };
  std::mutex mutex_;
  std::map<std::string, Pool> pools_;  // by uid; one small entry for each NodePool that ever existed
};

}  // namespace tenon::controllers
