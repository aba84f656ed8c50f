// Limits: a NodeClaim that gets its instance fits in the limits of its NodePool or Provisioner, counted over the claims
// that existed before it and are not being removed when the instance is launched. A node that a crashed process wanted
// to remove does not count as being removed, even if it still has the taint. A limit that was lowered while the claim
// was open does not apply to it.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "json/json.h"
#include "model/generations.h"
#include "model/labels.h"
#include "model/quantity.h"
#include "storm/checkers/checker.h"

namespace tenon::storm {
namespace {

using json::value;
using kubesim::Object;

constexpr Duration kStale = 5s;  // the longest delay with which the controllers receive an edit
constexpr Duration kCheckInterval = 5s;
constexpr const char* kResource = "cpu";

int64_t milli(std::string_view quantity) {
  const auto amount = model::parse_quantity(quantity);
  return amount ? amount->ceil_milli() : 0;
}

class Limits : public Checker {
 public:
  Limits() : Checker("limits") {}

  void check(const Truth& truth) override {
    remember_limits(truth);
    const auto claims = truth.claims();
    note_going(truth);
    for (const Object& claim : claims) {
      if (json::string_at(*claim, {"status", "providerID"}).empty() || deleting(*claim)) continue;
      if (!judged_.insert(uid(*claim)).second) continue;
      judge(truth, *claim, claims);
    }
  }

 private:
  static std::string uid(const value& claim) { return std::string(json::string_at(claim, {"metadata", "uid"})); }

  void remember_limits(const Truth& truth) {
    for (const Object& pool : truth.pools()) {
      remember(truth, name_of(*pool), json::find(*pool, {"spec", "limits", kResource}));
    }
    for (const Object& pool : truth.list({"karpenter.sh", "provisioners"})) {
      remember(truth, std::string(model::kProvisionerPrefix) + name_of(*pool),
               json::find(*pool, {"spec", "limits", "resources", kResource}));
    }
  }

  void remember(const Truth& truth, const std::string& pool, const value* amount) {
    const int64_t limit = amount ? milli(amount->get_string()) : INT64_MAX;
    auto& history = limits_[pool];
    if (history.empty() || history.back().second != limit) history.emplace_back(truth.now(), limit);
  }

  static std::string pool_of(const value& claim) {
    const std::string provisioner = label(claim, model::kLabelProvisioner);
    return provisioner.empty() ? label(claim, model::kLabelNodePool)
                               : std::string(model::kProvisionerPrefix) + provisioner;
  }

  void note_going(const Truth& truth) {
    for (const Object& node : truth.nodes()) {
      const std::string id(json::string_at(*node, {"spec", "providerID"}));
      if (!disrupted(*node)) left_behind_.erase(id);
      // The check that detects the crash is the last one at which the node counted as being removed.
      const bool of_this_process = disrupted(*node) && !left_behind_.contains(id);
      if (of_this_process && !truth.up) left_behind_.insert(id);
      if (deleting(*node) || of_this_process) going_at_[id] = truth.now();
    }
  }

  // The instance may have been launched some time before its NodeClaim records it.
  static Instant launched_at(const Truth& truth, const value& claim) {
    const std::string_view id = json::string_at(claim, {"status", "providerID"});
    for (const auto& instance : truth.live_instances()) {
      if (provider_id(instance) == id) return instance.launched_at;
    }
    return truth.now();
  }

  void judge(const Truth& truth, const value& claim, const std::vector<Object>& claims) {
    const Instant launched = launched_at(truth, claim);
    const auto was_going = [&](const std::string& id) {
      const auto at = going_at_.find(id);
      return at != going_at_.end() && at->second >= launched - kCheckInterval;
    };
    const std::string pool = pool_of(claim);
    const Instant born = created_at(claim);
    int64_t limit = 0;  // the highest since shortly before it was created
    Instant until = kNever;
    for (auto at = limits_[pool].rbegin(); at != limits_[pool].rend() && until > born - kStale; ++at) {
      limit = std::max(limit, at->second);
      until = at->first;
    }
    if (limit == INT64_MAX) return;
    int64_t used = 0;
    std::string counted;
    for (const Object& other : claims) {
      const std::string id(json::string_at(*other, {"status", "providerID"}));
      if (pool_of(*other) != pool || id.empty() || deleting(*other) || was_going(id)) continue;
      if (created_at(*other) > born) continue;
      used += milli(json::string_at(*other, {"status", "capacity", kResource}));
      counted += " " + name_of(*other);
    }
    if (used * 2 > limit) saw();
    if (used > limit) {
      fail(truth, model::pool_reference(pool) + " has " + std::to_string(used) + "m of CPU with NodeClaim " +
                      name_of(claim) + ", its limit is " + std::to_string(limit) + "m:" + counted);
    }
  }

  std::map<std::string, std::deque<std::pair<Instant, int64_t>>> limits_;  // by pool, as they were set
  std::map<std::string, Instant> going_at_;                                // by provider id: last observed
  std::set<std::string> left_behind_;                                      // provider ids, of a crashed process
  std::set<std::string> judged_;
};

}  // namespace

std::unique_ptr<Checker> make_limits_checker() { return std::make_unique<Limits>(); }

}  // namespace tenon::storm
