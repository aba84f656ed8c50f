// Rest: after the storm the cluster becomes stable. Pods, nodes and instances do not change, and no decision is
// repeated again and again.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "json/json.h"
#include "storm/checkers/checker.h"

namespace tenon::storm {
namespace {

constexpr Duration kCheckInterval = 1min;
constexpr Duration kAtRest = 5min;  // at the end, without a change; rests of ConsolidationBackoff have ended before

constexpr ptrdiff_t kMostDecided = 6;  // in that time: not all state is dropped at once

class Rest : public Checker {
 public:
  Rest() : Checker("rest") {}

  void on_decision(const std::string&, const Truth& truth) override { decided_.push_back(truth.now()); }

  void check(const Truth& truth) override {
    if (truth.now() < next_) return;
    next_ = truth.now() + kCheckInterval;
    std::string seen = picture(truth);
    if (seen == picture_) return;
    saw();
    picture_ = std::move(seen);
    changed_at_ = truth.now();
  }

  void at_end(const Truth& truth) override {
    if (truth.now() - changed_at_ < kAtRest) fail(truth, "something moves in the end");
    const auto decided =
        std::count_if(decided_.begin(), decided_.end(), [&](Instant at) { return truth.now() - at < kAtRest; });
    if (decided > kMostDecided) fail(truth, std::to_string(decided) + " decisions in the end");
  }

 private:
  static std::string picture(const Truth& truth) {
    std::string text;
    for (const auto& pod : truth.pods()) {
      text += key_of(*pod);
      text += json::string_at(*pod, {"spec", "nodeName"});
      text += json::string_at(*pod, {"status", "phase"});
    }
    for (const auto& node : truth.nodes()) text += name_of(*node) + (disrupted(*node) ? "x" : "");
    for (const auto& instance : truth.live_instances()) text += instance.id;
    return text;
  }

  Instant next_{}, changed_at_{};
  std::string picture_;
  std::vector<Instant> decided_;
};

}  // namespace

std::unique_ptr<Checker> make_rest_checker() { return std::make_unique<Rest>(); }

}  // namespace tenon::storm
