// Recorded: a clean stop waits for the launches in flight, and their instances are recorded.
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>

#include "json/json.h"
#include "storm/checkers/checker.h"

namespace tenon::storm {
namespace {

std::string token_of(const Call& call) {
  constexpr std::string_view kToken = "ClientToken=";
  const size_t at = call.body.find(kToken);
  if (!call.launches() || at == std::string_view::npos) return "";
  const size_t from = at + kToken.size();
  return std::string(call.body.substr(from, call.body.find('&', from) - from));
}

class Recorded : public Checker {
 public:
  Recorded() : Checker("recorded") {}

  void on_call(const Call& call, const Truth&) override {
    if (const std::string token = token_of(call); !token.empty()) ++asked_[token];
  }
  void on_done(const Call& call, const Truth&) override {
    if (const auto at = asked_.find(token_of(call)); at != asked_.end() && --at->second == 0) asked_.erase(at);
  }
  void on_stop(const Truth&) override {
    in_flight_.clear();
    for (const auto& [token, calls] : asked_) in_flight_.insert(token);
  }
  void on_stopped(const Truth& truth) override {
    const auto claims = truth.claims_by_provider_id();
    for (const auto& instance : truth.live_instances()) {
      if (!in_flight_.contains(instance.client_token)) continue;
      saw();
      if (!claims.contains(provider_id(instance)))
        fail(truth, "instance " + instance.id + " of a launch in flight is in no NodeClaim after a clean stop");
    }
    asked_.clear();
  }

 private:
  std::map<std::string, int> asked_;  // tokens of launches in flight
  std::set<std::string> in_flight_;   // when the stop began
};

}  // namespace

std::unique_ptr<Checker> make_recorded_checker() { return std::make_unique<Recorded>(); }

}  // namespace tenon::storm
