// Interruptions: EC2 announces two minutes ahead that it reclaims an instance. Within one minute its NodeClaim is being
// deleted, and no pod that may be evicted stays on its node for that long. The invariant does not apply to controllers
// that were down in the meantime.
// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "json/json.h"
#include "storm/checkers/checker.h"

namespace tenon::storm {
namespace {

using kubesim::Object;

// Includes the launch of a replacement, lost requests and an outdated cache: lists of nodes fail for up to 40 s. The
// informer repeats them at least every 20 s.
constexpr Duration kInTime = 70s;

class Interruptions : public Checker {
 public:
  Interruptions() : Checker("interruptions") {}

  void on_notice(const std::string& instance_id, const Truth& truth) override {
    const Object claim = claim_of_instance(truth, instance_id);
    if (claim && !deleting(*claim)) notices_.insert_or_assign(instance_id, Notice{truth.now(), {}});
  }

  void check(const Truth& truth) override {
    if (!truth.up) notices_.clear();
    for (auto at = notices_.begin(); at != notices_.end();) {
      at = over(truth, at->first, at->second) ? notices_.erase(at) : std::next(at);
    }
  }

 private:
  struct Notice {
    Instant at{};
    std::map<std::string, Instant> free_since;  // by uid: pods that may be evicted and are not yet
  };

  static Object claim_of_instance(const Truth& truth, const std::string& id) {
    for (const Object& claim : truth.claims()) {
      if (json::string_at(*claim, {"status", "providerID"}).ends_with("/" + id)) return claim;
    }
    return nullptr;
  }

  // Critical pods are evicted after all others, however long those take.
  static bool may_go(const Truth& truth, const json::value& pod) {
    const bool critical = json::string_at(pod, {"spec", "priorityClassName"}).starts_with("system-");
    return !deleting(pod) && !of_daemon_set(pod) && !critical && !refuses_disruption(pod) &&
           !protected_since(truth.disruption_budgets(), pod) && !truth.api_faults.refused(key_of(pod));
  }

  bool over(const Truth& truth, const std::string& id, Notice& notice) {
    const Object claim = claim_of_instance(truth, id);
    if (!claim || truth.now() - notice.at >= awssim::kInterruptionNotice) return true;
    if (truth.api_faults.unreadable("nodeclaims", name_of(*claim))) return true;  // nobody acts on unreadable objects
    saw();
    if (!deleting(*claim)) {
      if (truth.now() - notice.at < kInTime) return false;
      fail(truth, "NodeClaim " + name_of(*claim) + " stays although EC2 takes " + id + " back");
      return true;
    }
    const std::string_view node = json::string_at(*claim, {"status", "nodeName"});
    std::map<std::string, Instant> free;
    for (const Object& pod : truth.pods()) {
      if (node.empty() || !on_node(*pod, node) || !may_go(truth, *pod)) continue;
      const std::string uid(json::string_at(*pod, {"metadata", "uid"}));
      const auto since = notice.free_since.find(uid);
      const Instant from = since == notice.free_since.end() ? truth.now() : since->second;
      free[uid] = from;
      if (truth.now() - from < kInTime) continue;
      fail(truth, "pod " + key_of(*pod) + " is not evicted although EC2 takes " + id + " back");
      return true;
    }
    notice.free_since = std::move(free);
    return false;
  }

  std::map<std::string, Notice> notices_;  // by instance
};

}  // namespace

std::unique_ptr<Checker> make_interruptions_checker() { return std::make_unique<Interruptions>(); }

}  // namespace tenon::storm
