// SPDX-License-Identifier: Apache-2.0
#include "cli/controller/log_level_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/loopback_transport.h"
#include "kube/testing/fake_api.h"
#include "log/testing/capture.h"
#include "runtime/sim.h"

namespace tenon::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Levels : public LogLevel {
 public:
  Status set(std::string_view level) override {
    if (level == "loud") return fail(Code::kInvalid, "log level \"loud\": must be one of …");
    set_.emplace_back(level);
    return ok();
  }
  std::vector<std::string> set_;
};

class LogLevelWatchTest : public ::testing::Test {
 protected:
  void put(const std::string& data) {
    api_.put("/api/v1/configmaps",
             R"({"metadata":{"name":"config-logging","namespace":"karpenter"},"data":)" + data + "}");
    sim_->run_for(1s);
  }

  std::unique_ptr<runtime::SimRuntime> sim_ = runtime::make_sim_runtime({.seed = 1});
  kube::testing::FakeApi api_{*sim_};
  std::unique_ptr<http::Transport> transport_ = http::make_loopback_transport({{"api", &api_}});
  std::unique_ptr<kube::Client> client_ = kube::make_client(*sim_, *transport_, {.server = "http://api"});
  std::shared_ptr<Levels> levels_ = std::make_shared<Levels>();
  std::shared_ptr<log::testing::Capture> lines_ = std::make_shared<log::testing::Capture>();
  LogLevelWatch watch_{*sim_, *client_, "karpenter", {log::Logger(lines_), levels_}, "info"};
};

TEST_F(LogLevelWatchTest, TheLevelFollowsTheConfigMapAtOnce) {
  watch_.start();
  sim_->run_for(1s);
  EXPECT_THAT(levels_->set_, ElementsAre()) << "without the ConfigMap the level stays";
  put(R"({"loglevel.controller":"debug"})");
  put(R"({"zap-logger-config":"{\"level\":\"error\"}"})");
  put(R"({"other":"1"})");
  put(R"({"loglevel.controller":"debug"})");
  api_.remove("/api/v1/configmaps", "karpenter/config-logging");
  sim_->run_for(1s);
  EXPECT_THAT(levels_->set_, ElementsAre("debug", "error", "info", "debug", "info"));
}

TEST_F(LogLevelWatchTest, AWrongValueIsReportedAndTheLevelStays) {
  put(R"({"loglevel.controller":"debug"})");
  watch_.start();
  sim_->run_for(1s);
  put(R"({"loglevel.controller":"loud"})");
  put(R"({"zap-logger-config":"{"})");
  EXPECT_THAT(levels_->set_, ElementsAre("debug"));
  EXPECT_THAT(lines_->failures(),
              ElementsAre(HasSubstr("ConfigMap config-logging: log level \"loud\""), HasSubstr("zap-logger-config")));
}

TEST_F(LogLevelWatchTest, TheLevelStaysWhileTheServerDoesNotAnswer) {
  put(R"({"loglevel.controller":"debug"})");
  watch_.start();
  sim_->run_for(1s);
  api_.fail_next(100, 503);
  api_.end_watches();
  sim_->run_for(1min);
  EXPECT_THAT(levels_->set_, ElementsAre("debug"));
}

}  // namespace
}  // namespace tenon::cli
