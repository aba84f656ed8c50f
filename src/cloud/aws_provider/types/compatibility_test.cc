// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/types/compatibility.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenon::cloud {
namespace {

model::NodeClass plain() { return {}; }
model::NodeClass nested() {
  model::NodeClass out;
  out.nested_virtualization = "enabled";
  return out;
}
model::NodeClass tracking() {
  model::NodeClass out;
  out.connection_tracking = {.tcp_established = 60, .udp_stream = {}, .udp = {}};
  return out;
}
model::NodeClass interfaces(std::vector<model::NetworkInterface> list) {
  model::NodeClass out;
  out.network_interfaces = std::move(list);
  return out;
}

TEST(Compatibility, OfTypesAndClasses) {
  struct Case {
    const char* type;
    model::NodeClass node_class;
    AmiFamily family;
    const char* problem;  // "": none
  };
  const Case cases[] = {
      {"m5.large", plain(), AmiFamily::kAl2023, ""},
      {"a1.large", plain(), AmiFamily::kAl2023, "AL2023"},
      {"a1.large", plain(), AmiFamily::kAl2, ""},
      {"m5.large", nested(), AmiFamily::kAl2023, "virtual machines"},
      {"m5.large", tracking(), AmiFamily::kAl2023, ""},
      {"m4.large", tracking(), AmiFamily::kAl2023, "Nitro"},
      {"m5.metal", tracking(), AmiFamily::kAl2023, "Nitro"},
      {"m5.large", interfaces({{0, 0, false}, {0, 1, false}, {0, 2, false}}), AmiFamily::kAl2023, ""},
      {"m5.large", interfaces({{0, 0, false}, {0, 1, false}, {0, 2, false}, {0, 3, false}}), AmiFamily::kAl2023,
       "first network card"},
      {"m5.large", interfaces({{0, 0, false}, {1, 1, false}}), AmiFamily::kAl2023, "no network card 1"},
      {"m5.large", interfaces({{0, 0, false}, {0, 1, true}}), AmiFamily::kAl2023, "EFA"},
      {"p4d.24xlarge", interfaces({{0, 0, false}, {1, 1, true}, {2, 1, true}, {3, 1, true}}), AmiFamily::kAl2023, ""},
      {"p4d.24xlarge", interfaces({{0, 0, false}, {4, 1, true}}), AmiFamily::kAl2023, "no network card 4"},
  };
  for (const Case& c : cases) {
    const std::string problem = incompatibility(*catalog::find_instance_type(c.type), c.node_class, {c.family});
    EXPECT_THAT(problem, *c.problem == '\0' ? ::testing::Matcher<std::string>(::testing::IsEmpty())
                                            : ::testing::Matcher<std::string>(::testing::HasSubstr(c.problem)))
        << c.type;
  }
  catalog::InstanceFacts without_ena = *catalog::find_instance_type("m4.large");
  without_ena.ena = false;
  EXPECT_EQ(incompatibility(without_ena, interfaces({{0, 0, false}}), {AmiFamily::kAl2023}),
            "networkInterfaces needs ENA, which it lacks");
  EXPECT_EQ(incompatibility(without_ena, plain(), {AmiFamily::kAl2023}), "");
  catalog::InstanceFacts able;
  able.nested_virtualization = true;
  EXPECT_EQ(incompatibility(able, nested(), {AmiFamily::kAl2023}), "");
  const auto grouped = [&](std::vector<std::string> strategies, const std::string& wanted) {
    able.placement_strategies = std::move(strategies);
    return incompatibility(able, plain(), {AmiFamily::kAl2023, wanted});
  };
  EXPECT_EQ(grouped({"partition", "spread"}, "cluster"), "it cannot be in a placement group of strategy cluster");
  EXPECT_EQ(grouped({"partition", "spread"}, "spread"), "");
  EXPECT_EQ(grouped({"partition", "spread"}, ""), "") << "no group is asked for";
  EXPECT_EQ(grouped({}, "cluster"), "") << "not known";
}

}  // namespace
}  // namespace tenon::cloud
