// Leaks: an instance of this cluster without a NodeClaim is terminated before long, and none is left at the end.
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>

#include "json/json.h"
#include "storm/checkers/checker.h"

namespace tenon::storm {
namespace {

constexpr Duration kUntilCollected = 10min;  // the collector may be down for a while
// A pass runs every two minutes and may terminate one instance: the others wait.
constexpr Duration kForEach = 2min;

class Leaks : public Checker {
 public:
  Leaks() : Checker("leaks") {}

  void check(const Truth& truth) override {
    const std::set<std::string> ids = unclaimed(truth);
    std::map<std::string, Instant> deadlines;
    for (const std::string& id : ids) {
      const auto at = deadlines_.find(id);
      if (at == deadlines_.end()) saw();
      const Instant latest = truth.now() + kUntilCollected + static_cast<int64_t>(ids.size()) * kForEach;
      deadlines[id] = at == deadlines_.end() ? latest : at->second;
      if (truth.now() > deadlines[id] && reported_.insert(id).second) fail(truth, id + " has no NodeClaim");
    }
    deadlines_ = std::move(deadlines);
  }

  void at_end(const Truth& truth) override {
    for (const std::string& id : unclaimed(truth)) {
      if (reported_.insert(id).second) fail(truth, id + " has no NodeClaim in the end");
    }
  }

 private:
  static std::set<std::string> unclaimed(const Truth& truth) {
    std::set<std::string> ids;
    for (const auto& instance : truth.live_instances()) ids.insert(provider_id(instance));
    for (const auto& claim : truth.claims()) ids.erase(std::string(json::string_at(*claim, {"status", "providerID"})));
    return ids;
  }

  std::map<std::string, Instant> deadlines_;
  std::set<std::string> reported_;
};

}  // namespace

std::unique_ptr<Checker> make_leaks_checker() { return std::make_unique<Leaks>(); }

}  // namespace tenon::storm
