// Prompt: one thread writes all events, one at a time. Two writes at once mean that a deciding loop waits for an event.
// SPDX-License-Identifier: Apache-2.0
#include "storm/checkers/checker.h"

namespace tenon::storm {
namespace {

class Prompt : public Checker {
 public:
  Prompt() : Checker("prompt") {}

  void on_call(const Call& call, const Truth& truth) override {
    if (call.resource() != "events") return;
    if (!truth.up) writing_ = 0;  // a write that a crash cut off never ends
    saw();
    if (++writing_ > 1) fail(truth, std::to_string(writing_) + " events are being written");
  }

  void on_done(const Call& call, const Truth&) override {
    if (call.resource() == "events" && writing_ > 0) --writing_;
  }

  void check(const Truth& truth) override {
    if (!truth.up) writing_ = 0;
  }

 private:
  int writing_ = 0;
};

}  // namespace

std::unique_ptr<Checker> make_prompt_checker() { return std::make_unique<Prompt>(); }

}  // namespace tenon::storm
