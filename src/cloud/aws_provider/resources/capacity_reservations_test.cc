// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/resources/capacity_reservations.h"

#include <gtest/gtest.h>

#include "aws/testing/canned.h"

namespace tenon::cloud {
namespace {

struct Wire : aws::testing::CannedClient {
  aws::Ec2 ec2{client};
};

std::string listed(int available, const std::string& ends = "") {
  return "<R><capacityReservationSet><item><capacityReservationId>cr-1</capacityReservationId><state>active</state>"
         "<instanceType>m5.large</instanceType><availableInstanceCount>" +
         std::to_string(available) + "</availableInstanceCount>" + ends + "</item></capacityReservationSet></R>";
}

model::NodeClass by_tag() {
  model::NodeClass out;
  out.reservation_selector_terms = {{{{"team", "a"}}, "", "123456789012", "open"}};
  return out;
}

TEST(CapacityReservations, CountFromWhatEc2SaidLast) {
  Wire wire;
  CapacityReservations reservations(wire.ec2, wire.runtime);
  EXPECT_EQ(reservations.left("cr-1"), 0) << "not told of";
  EXPECT_FALSE(reservations.hold("cr-1"));
  wire.transport.answer(200, listed(2));
  EXPECT_EQ(reservations.resolve(by_tag(), {})->size(), 1u);
  for (const char* filter : {"Filter.1.Name=tag:team", "Filter.2.Name=state", "Filter.3.Name=owner-id",
                             "Filter.4.Name=instance-match-criteria", "Filter.4.Value.1=open"}) {
    EXPECT_TRUE(wire.transport.form_has(0, filter)) << filter;
  }
  EXPECT_TRUE(reservations.hold("cr-1"));
  EXPECT_TRUE(reservations.hold("cr-1"));
  EXPECT_FALSE(reservations.hold("cr-1")) << "both places are being launched into";
  reservations.release("cr-1");
  EXPECT_EQ(reservations.left("cr-1"), 1);
  reservations.took("cr-1");
  EXPECT_EQ(reservations.left("cr-1"), 1) << "held or taken is the same";
  EXPECT_EQ(reservations.resolve(by_tag(), {})->size(), 1u);
  EXPECT_EQ(wire.transport.requests.size(), 1u) << "the same answer for a minute";
  wire.runtime.advance(kReservationTtl);
  wire.transport.answer(200, listed(1));
  EXPECT_EQ(reservations.resolve(by_tag(), {})->size(), 1u);
  EXPECT_EQ(reservations.left("cr-1"), 1) << "EC2 has counted the launch: it is not counted twice";
  reservations.exhausted("cr-1");
  EXPECT_EQ(reservations.left("cr-1"), 0);
  reservations.leaving("i-1", "cr-1");
  reservations.gone("i-2");
  EXPECT_EQ(reservations.left("cr-1"), 0);
  reservations.gone("i-1");
  reservations.gone("i-1");
  EXPECT_EQ(reservations.left("cr-1"), 1);
}

TEST(CapacityReservations, AnUnknownIdHidesNoOther) {
  Wire wire;
  CapacityReservations reservations(wire.ec2, wire.runtime);
  model::NodeClass node_class;
  node_class.reservation_selector_terms = {{{}, "cr-0", "", ""}, {{}, "cr-1", "", ""}};
  const std::string unknown =
      "<Response><Errors><Error><Code>InvalidCapacityReservationId.NotFound</Code><Message>m</Message></Error></Errors>"
      "</Response>";
  wire.transport.answer(400, unknown).answer(400, unknown).answer(200, listed(1));
  const auto found = reservations.resolve(node_class, {});
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->size(), 1u);
  EXPECT_EQ(found->front().id, "cr-1");
}

}  // namespace
}  // namespace tenon::cloud
