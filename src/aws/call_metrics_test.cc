// SPDX-License-Identifier: Apache-2.0
#include "aws/call_metrics.h"

#include <gtest/gtest.h>

#include "aws/query_protocol.h"
#include "aws/testing/canned.h"

namespace tenon::aws {
namespace {

TEST(CallMetrics, CountCallsAndAttempts) {
  testing::CannedClient canned;
  metrics::Registry registry;
  Client client({canned.transport, canned.runtime, *canned.credentials},
                {.region = "us-east-1",
                 .environment = [](const std::string&) { return std::string(); },
                 .observer = count_calls(registry)});
  canned.transport.fail_with({Code::kUnavailable, "connection refused"});
  canned.transport.answer(503, "<Response><Errors><Error><Code>Unavailable</Code></Error></Errors></Response>");
  canned.transport.answer(200, "<R/>");
  ASSERT_TRUE(query(client, kEc2, Form("DescribeVpcs", "2016-11-15"), {}));
  const std::string text = registry.text();
  const auto has = [&](const std::string& line) { return text.find(line + "\n") != std::string::npos; };
  const std::string call = R"(action="DescribeVpcs")";
  EXPECT_TRUE(has("aws_sdk_go_request_total{service=\"ec2\"," + call + ",code=\"200\"} 1")) << text;
  for (const char* code : {"", "503", "200"}) {
    EXPECT_TRUE(has("aws_sdk_go_request_attempt_total{service=\"ec2\"," + call + ",code=\"" + code + "\"} 1")) << code;
  }
  EXPECT_TRUE(has("aws_sdk_go_request_retry_count_sum{service=\"ec2\"," + call + "} 2"));
  EXPECT_TRUE(has("aws_sdk_go_request_duration_seconds_count{service=\"ec2\"," + call + "} 1"));
  EXPECT_TRUE(has("aws_sdk_go_request_attempt_duration_seconds_count{service=\"ec2\"," + call + "} 3"));
}

}  // namespace
}  // namespace tenon::aws
