// SPDX-License-Identifier: Apache-2.0
#include "controllers/apply_each.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <vector>

namespace tenon::controllers {
namespace {

// Fails for the objects that the test names.
class Recorder final : public Executor {
 public:
  explicit Recorder(std::map<std::string, Code> failures) : failures_(std::move(failures)) {}
  using Executor::apply;
  Status apply(const plan::Plan& plan, Outcome&, const std::stop_token&) override {
    const std::string& name = std::get<plan::DeleteNode>(plan.actions.at(0)).name;
    seen += name;
    const auto failure = failures_.find(name);
    if (failure == failures_.end()) return ok();
    return fail(failure->second, name);
  }
  std::string seen;

 private:
  const std::map<std::string, Code> failures_;
};

// Returns the objects in order, and the first failure.
std::string applied(std::map<std::string, Code> failures, int at_most = 10) {
  Recorder recorder(std::move(failures));
  std::vector<std::shared_ptr<const std::string>> objects;
  for (const char* name : {"a", "-", "b", "c"}) objects.push_back(std::make_shared<const std::string>(name));
  const auto decide = [](const std::string& name) {
    plan::Plan plan;
    if (name != "-") plan.add(plan::DeleteNode{name, ""});
    return plan;
  };
  const Status done = apply_each(recorder, objects, decide, [&] { return at_most-- > 0; }, {});
  return recorder.seen + (done ? "" : " " + done.error().message);
}

TEST(ApplyEach, AFailureDoesNotEndTheOthers) {
  EXPECT_EQ(applied({}), "abc");
  EXPECT_EQ(applied({{"a", Code::kConflict}, {"b", Code::kUnavailable}}), "abc a");
  EXPECT_EQ(applied({{"b", Code::kCancelled}}), "ab b");
  EXPECT_EQ(applied({}, 3), "ab") << "the time is up after three objects, of which one needs nothing";
}

}  // namespace
}  // namespace tenon::controllers
