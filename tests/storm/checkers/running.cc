// Running: after the storm, when neither limits nor budgets prevent it, every pod runs.
// SPDX-License-Identifier: Apache-2.0
#include "json/json.h"
#include "storm/checkers/checker.h"

namespace tenon::storm {
namespace {

class Running : public Checker {
 public:
  Running() : Checker("running") {}

  void check(const Truth& truth) override {
    for (const auto& pod : truth.pods()) {
      if (json::string_at(*pod, {"status", "phase"}) == "Pending") saw();
    }
  }

  void at_end(const Truth& truth) override {
    for (const auto& pod : truth.pods()) {
      const std::string_view phase = json::string_at(*pod, {"status", "phase"});
      if (phase == "Running") continue;
      fail(truth, "pod " + key_of(*pod) + " is " + std::string(phase) + " in the end: " + why(*pod));
    }
  }

 private:
  // In the scheduler's words.
  static std::string why(const json::value& pod) {
    for (const auto& condition : json::array_at(pod, {"status", "conditions"})) {
      if (json::string_at(condition, {"type"}) != "PodScheduled") continue;
      return std::string(json::string_at(condition, {"message"}));
    }
    return "nobody has looked at it";
  }
};

}  // namespace

std::unique_ptr<Checker> make_running_checker() { return std::make_unique<Running>(); }

}  // namespace tenon::storm
