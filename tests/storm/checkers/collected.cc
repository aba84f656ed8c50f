// Collected: an instance is terminated only if its NodeClaim is gone or being deleted, whatever a list or a cache
// lacks.
// SPDX-License-Identifier: Apache-2.0
#include "json/json.h"
#include "storm/checkers/checker.h"

namespace tenon::storm {
namespace {

class Collected : public Checker {
 public:
  Collected() : Checker("collected") {}

  void on_call(const Call& call, const Truth& truth) override {
    if (call.action != "TerminateInstances") return;
    const auto claims = truth.claims_by_provider_id();
    for (const auto& instance : truth.live_instances()) {
      if (call.body.find(instance.id) == std::string_view::npos) continue;
      const auto claim = claims.find(provider_id(instance));
      if (claim == claims.end() || deleting(*claim->second)) continue;
      fail(truth, "instance " + instance.id + " of NodeClaim " + name_of(*claim->second) + ", which stays, is ended");
    }
  }

  // A list of NodeClaims that was wrong although some existed.
  void check(const Truth& truth) override {
    if (truth.api_faults.wrong_lists() != wrong_lists_ && !truth.live_instances().empty()) saw();
    wrong_lists_ = truth.api_faults.wrong_lists();
  }

 private:
  int64_t wrong_lists_ = 0;
};

}  // namespace

std::unique_ptr<Checker> make_collected_checker() { return std::make_unique<Collected>(); }

}  // namespace tenon::storm
