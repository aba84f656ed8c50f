// Twins: no NodeClaim has two live instances for longer than two minutes, however often its launch was repeated.
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>

#include "storm/checkers/checker.h"

namespace tenon::storm {
namespace {

constexpr Duration kAtMost = 2min;
constexpr size_t kUidLength = 36;  // a launch's token begins with the uid of its NodeClaim

class Twins : public Checker {
 public:
  Twins() : Checker("twins") {}

  void on_call(const Call& call, const Truth&) override {
    if (call.action != "CreateFleet") return;
    const size_t at = call.body.find("ClientToken=");
    if (at == std::string_view::npos) return;
    const std::string claim(call.body.substr(at + std::string_view("ClientToken=").size(), kUidLength));
    if (++launches_[claim] == 2) saw();
  }

  void look(const Truth& truth) override {
    std::map<std::string, int> live;
    for (const auto& instance : truth.live_instances()) ++live[instance.client_token.substr(0, kUidLength)];
    std::map<std::string, Instant> now;
    for (const auto& [claim, count] : live) {
      if (count < 2) continue;
      const auto at = since_.find(claim);
      now[claim] = at == since_.end() ? truth.now() : at->second;
      if (truth.now() - now[claim] > kAtMost && told_.insert(claim).second) {
        fail(truth, "the NodeClaim with uid " + claim + " has " + std::to_string(count) + " instances");
      }
    }
    since_ = std::move(now);
  }

 private:
  std::map<std::string, int> launches_;
  std::map<std::string, Instant> since_;
  std::set<std::string> told_;
};

}  // namespace

std::unique_ptr<Checker> make_twins_checker() { return std::make_unique<Twins>(); }

}  // namespace tenon::storm
