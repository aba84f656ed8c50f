// Leaks: an instance of this cluster that no NodeClaim knows is ended before long, and none is left in the end.
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>

#include "json/json.h"
#include "storm/checkers/checker.h"

namespace tenon::storm {
namespace {

constexpr Duration kAtMost = 10min;  // the collector comes by every two minutes, when it is not down

class Leaks : public Checker {
 public:
  Leaks() : Checker("leaks") {}

  void look(const Truth& truth) override {
    std::map<std::string, Instant> now;
    for (const std::string& id : unclaimed(truth)) {
      const auto at = since_.find(id);
      if (at == since_.end()) saw();
      now[id] = at == since_.end() ? truth.now() : at->second;
      if (truth.now() - now[id] > kAtMost && told_.insert(id).second) fail(truth, id + " has no NodeClaim");
    }
    since_ = std::move(now);
  }

  void at_end(const Truth& truth) override {
    for (const std::string& id : unclaimed(truth)) {
      if (told_.insert(id).second) fail(truth, id + " has no NodeClaim in the end");
    }
  }

 private:
  static std::set<std::string> unclaimed(const Truth& truth) {
    std::set<std::string> ids;
    for (const auto& instance : truth.live_instances()) ids.insert(provider_id(instance));
    for (const auto& claim : truth.claims()) ids.erase(std::string(json::string_at(*claim, {"status", "providerID"})));
    return ids;
  }

  std::map<std::string, Instant> since_;
  std::set<std::string> told_;
};

}  // namespace

std::unique_ptr<Checker> make_leaks_checker() { return std::make_unique<Leaks>(); }

}  // namespace tenon::storm
