// Evictions: only pods of nodes that are being deleted are evicted, no pod that refuses disruption while its node has
// time, and no instance is terminated while pods of workloads run on it. The controllers may learn late that a pod
// refuses.
// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "base/text.h"
#include "json/json.h"
#include "model/labels.h"
#include "storm/checkers/checker.h"

namespace tenon::storm {
namespace {

using kubesim::Object;

constexpr Duration kWatchBehind = 5s;  // the longest delay of a watch that was cut

class Evictions : public Checker {
 public:
  Evictions() : Checker("evictions") {}

  void on_call(const Call& call, const Truth& truth) override {
    if (call.is("POST", "pods", "eviction")) on_eviction(call, truth);
    if (call.aws && call.action == "TerminateInstances") on_termination(call, truth);
  }

  // A pod that refuses disruption on a node that is being deleted: the drain must wait for it.
  void check(const Truth& truth) override {
    std::map<std::string, Instant> now;
    for (const Object& pod : truth.pods()) {
      if (!refuses_disruption(*pod)) continue;
      const auto at = refuses_since_.find(key_of(*pod));
      now[key_of(*pod)] = at == refuses_since_.end() ? truth.now() : at->second;
      const Object node = truth.get({"", "nodes"}, "", json::string_at(*pod, {"spec", "nodeName"}));
      if (node && deleting(*node)) saw();
    }
    refuses_since_ = std::move(now);
  }

 private:
  void on_eviction(const Call& call, const Truth& truth) {
    const Object pod = truth.get({"", "pods"}, call.ns(), call.name());
    if (!pod) return;
    const Object node = truth.get({"", "nodes"}, "", json::string_at(*pod, {"spec", "nodeName"}));
    if (!node) return;  // deleted a moment ago
    if (!deleting(*node))
      fail(truth, "pod " + key_of(*pod) + " is evicted from node " + name_of(*node) + ", which stays");
    const auto since = refuses_since_.find(key_of(*pod));
    const bool known = since != refuses_since_.end() && truth.now() - since->second > kWatchBehind;
    if (refuses_disruption(*pod) && known) fail(truth, "pod " + key_of(*pod) + " is evicted although it refuses");
  }

  void on_termination(const Call& call, const Truth& truth) {
    for (const auto& instance : truth.live_instances()) {
      if (call.body.find(instance.id) == std::string_view::npos) continue;
      const Object node = truth.get({"", "nodes"}, "", instance.private_dns_name);
      if (!node || !is_true(*node, "Ready")) continue;
      if (!truth.claim_of(*node)) continue;  // someone deleted its NodeClaim: nothing states what the node may wait for
      if (const auto ends = deadline(truth, *node); ends && truth.now() >= *ends) continue;
      for (const Object& pod : truth.pods()) {
        if (!on_node(*pod, instance.private_dns_name) || of_daemon_set(*pod)) continue;
        fail(truth, "instance " + instance.id + " is ended under pod " + key_of(*pod));
      }
    }
  }

  std::map<std::string, Instant> refuses_since_;  // by pod
};

}  // namespace

std::unique_ptr<Checker> make_evictions_checker() { return std::make_unique<Evictions>(); }

}  // namespace tenon::storm
