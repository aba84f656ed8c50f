// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/interruption/interruption_message.h"

#include <gtest/gtest.h>

namespace tenon::cloud {
namespace {

const Instant kSent(1'000'000s);

std::string envelope(const std::string& source, const std::string& detail_type, const std::string& detail) {
  return R"({"version":"0","id":"1","detail-type":")" + detail_type + R"(","source":")" + source +
         R"(","account":"1","time":"2026-09-01T12:00:00Z","region":"us-east-1","resources":[],"detail":)" + detail +
         "}";
}

struct Row {
  const char* why;
  const char* source;
  const char* detail_type;
  const char* detail;
  InterruptionKind kind;
  std::vector<std::string> ids;
};
using Kind = InterruptionKind;
constexpr const char* kState = "EC2 Instance State-change Notification";
constexpr const char* kHealth = "AWS Health Event";
const Row kRows[] = {
    {"spot",
     "aws.ec2",
     "EC2 Spot Instance Interruption Warning",
     R"({"instance-id":"i-1","instance-action":"stop"})",
     Kind::kSpotInterrupted,
     {"i-1"}},
    {"rebalance",
     "aws.ec2",
     "EC2 Instance Rebalance Recommendation",
     R"({"instance-id":"i-1"})",
     Kind::kRebalance,
     {"i-1"}},
    {"reservation",
     "aws.ec2",
     "EC2 Capacity Reservation Instance Interruption Warning",
     R"({"instance-id":"i-1","instance-action":"terminate"})",
     Kind::kReservationInterrupted,
     {"i-1"}},
    {"stopping", "aws.ec2", kState, R"({"instance-id":"i-1","state":"stopping"})", Kind::kInstanceStopped, {"i-1"}},
    {"stopped", "aws.ec2", kState, R"({"instance-id":"i-1","state":"stopped"})", Kind::kInstanceStopped, {"i-1"}},
    {"ending",
     "aws.ec2",
     kState,
     R"({"instance-id":"i-1","state":"shutting-down"})",
     Kind::kInstanceTerminated,
     {"i-1"}},
    {"ended", "aws.ec2", kState, R"({"instance-id":"i-1","state":"terminated"})", Kind::kInstanceTerminated, {"i-1"}},
    {"it starts", "aws.ec2", kState, R"({"instance-id":"i-1","state":"pending"})", Kind::kNoOp, {}},
    {"it runs", "aws.ec2", kState, R"({"instance-id":"i-1","state":"running"})", Kind::kNoOp, {}},
    {"a scheduled change of two",
     "aws.health",
     kHealth,
     R"({"service":"EC2","eventTypeCategory":"scheduledChange",)"
     R"("affectedEntities":[{"entityValue":"i-1"},{"entityValue":"i-2"}]})",
     Kind::kScheduledChange,
     {"i-1", "i-2"}},
    {"another service's",
     "aws.health",
     kHealth,
     R"({"service":"RDS","eventTypeCategory":"scheduledChange","affectedEntities":[{"entityValue":"i-1"}]})",
     Kind::kNoOp,
     {}},
    {"only an account's notice",
     "aws.health",
     kHealth,
     R"({"service":"EC2","eventTypeCategory":"accountNotification","affectedEntities":[{"entityValue":"i-1"}]})",
     Kind::kNoOp,
     {}},
    {"another source's",
     "aws.autoscaling",
     "EC2 Spot Instance Interruption Warning",
     R"({"instance-id":"i-1"})",
     Kind::kNoOp,
     {}},
    {"another type", "aws.ec2", "EBS Volume Notification", R"({"instance-id":"i-1"})", Kind::kNoOp, {}},
    {"no instance", "aws.ec2", "EC2 Spot Instance Interruption Warning", "{}", Kind::kMalformed, {}},
    {"no text", "aws.ec2", kState, R"({"instance-id":7,"state":"stopped"})", Kind::kMalformed, {}},
    {"no object", "aws.ec2", "EC2 Instance Rebalance Recommendation", "[]", Kind::kMalformed, {}},
    {"nobody is affected",
     "aws.health",
     kHealth,
     R"({"service":"EC2","eventTypeCategory":"scheduledChange"})",
     Kind::kMalformed,
     {}},
};

TEST(InterruptionMessage, EveryKind) {
  for (const Row& row : kRows) {
    const Interruption read = parse_interruption(envelope(row.source, row.detail_type, row.detail), kSent);
    EXPECT_EQ(to_string(read.kind), to_string(row.kind)) << row.why;
    EXPECT_EQ(read.instance_ids, row.ids) << row.why;
    EXPECT_EQ(format_rfc3339(read.at), "2026-09-01T12:00:00Z") << row.why;
    EXPECT_EQ(read.problem.empty(), row.kind != Kind::kMalformed) << row.why;
  }
}

TEST(InterruptionMessage, WhatIsNoEnvelope) {
  for (const char* text : {"", "  \n", R"({})", R"({"version":"1"})", R"({"version":0})"}) {
    const Interruption read = parse_interruption(text, kSent);
    EXPECT_EQ(to_string(read.kind), "no_op") << text;
    EXPECT_EQ(read.at, kSent);
  }
  for (const char* text : {"[]", "7", "{", R"({"version":"0")", "hello", "\xff"}) {
    const Interruption read = parse_interruption(text, kSent);
    EXPECT_EQ(to_string(read.kind), "malformed") << text;
    EXPECT_FALSE(read.problem.empty()) << text;
  }
}

}  // namespace
}  // namespace tenon::cloud
