// SPDX-License-Identifier: Apache-2.0
#include "http/fence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/sim.h"

namespace tenon::http {
namespace {

struct Counting : Transport {
  Result<Response> send(const Request&, const std::stop_token&) override {
    ++requests;
    return Response{200, {}, ""};
  }
  Status stream(const Request&, StreamSink& sink, const std::stop_token&) override {
    ++requests;
    sink.on_head(200, {});
    return ok();
  }
  int requests = 0;
};

struct Ignore : StreamSink {
  bool on_head(int, const Headers&) override { return true; }
  bool on_data(std::string_view) override { return true; }
};

class FenceTest : public ::testing::Test {
 protected:
  Result<Response> send() { return transport_->send({.url = "http://api/"}, {}); }

  std::unique_ptr<runtime::SimRuntime> sim_ = runtime::make_sim_runtime({});
  Fence fence_{*sim_};
  Counting inner_;
  std::unique_ptr<Transport> transport_ = make_fenced_transport(inner_, fence_);
};

TEST_F(FenceTest, OnceClosedNothingIsSent) {
  EXPECT_TRUE(send());
  fence_.close("lost the lease");
  fence_.close("another reason");
  const auto refused = send();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kCancelled);
  EXPECT_EQ(refused.error().message, "GET: not sent: lost the lease");
  Ignore sink;
  EXPECT_EQ(transport_->stream({.url = "http://api/"}, sink, {}).error().code, Code::kCancelled);
  EXPECT_FALSE(fence_.extend(kNever));
  EXPECT_FALSE(send());
  EXPECT_EQ(inner_.requests, 1);
}

// Nothing closes it: the thread that would close it hangs.
TEST_F(FenceTest, ItEndsByTheClockAndForGood) {
  sim_->run_for(24h);
  EXPECT_TRUE(send());  // no lease was ever acquired
  EXPECT_TRUE(fence_.extend(sim_->now() + 10s));
  sim_->run_for(9s);
  EXPECT_TRUE(send());
  EXPECT_TRUE(fence_.extend(sim_->now() + 10s));
  sim_->run_for(9999ms);
  EXPECT_TRUE(send());
  sim_->run_for(1ms);
  EXPECT_EQ(send().error().code, Code::kCancelled);
  EXPECT_FALSE(fence_.extend(sim_->now() + 10s));  // a renewal with a late answer
  EXPECT_FALSE(send());
  EXPECT_EQ(inner_.requests, 3);
}

}  // namespace
}  // namespace tenon::http
