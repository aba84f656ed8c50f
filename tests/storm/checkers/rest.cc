// Rest: once the storm is over the cluster comes to rest. Pods, nodes and instances stay as they are.
// SPDX-License-Identifier: Apache-2.0
#include "json/json.h"
#include "storm/checkers/checker.h"

namespace tenon::storm {
namespace {

constexpr Duration kBetweenLooks = 1min;
constexpr Duration kAtRest = 10min;  // at the end, without a change

class Rest : public Checker {
 public:
  Rest() : Checker("rest") {}

  void look(const Truth& truth) override {
    if (truth.now() < next_) return;
    next_ = truth.now() + kBetweenLooks;
    std::string seen = picture(truth);
    if (seen == picture_) return;
    saw();
    picture_ = std::move(seen);
    changed_at_ = truth.now();
  }

  void at_end(const Truth& truth) override {
    if (truth.now() - changed_at_ < kAtRest) fail(truth, "something moves in the end");
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
};

}  // namespace

std::unique_ptr<Checker> make_rest_checker() { return std::make_unique<Rest>(); }

}  // namespace tenon::storm
