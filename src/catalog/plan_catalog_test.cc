// SPDX-License-Identifier: Apache-2.0
#include "catalog/plan_catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/formulas.h"

namespace tenon::catalog {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kOne = R"({"version":1,"name":"one","region":"us-east-1","labelKeys":["kubernetes.io/arch"],
 "instanceTypes":[{"name":"m5.large","arch":"amd64","os":["linux"],
  "labels":{"karpenter.k8s.aws/instance-category":["m"],"topology.kubernetes.io/zone":["us-east-1a"]},
  "capacity":{"cpu":"2","memory":"7577Mi","pods":"29","ephemeral-storage":"20Gi"},
  "overhead":{"kubeReserved":{"cpu":"70m","memory":"574Mi","ephemeral-storage":"1Gi"},"systemReserved":{},
              "evictionThreshold":{"memory":"100Mi","ephemeral-storage":"2.147483648e+09"}},
  "offerings":[{"zone":"us-east-1a","zoneID":"use1-az1","capacityType":"spot","price":0.0336,"available":true},
               {"zone":"us-east-1a","zoneID":"use1-az1","capacityType":"reserved","price":9.6e-09,"available":false,
                "reservationID":"cr-1","reservationType":"default","reservationInterruptible":"true",
                "reservationCapacity":3}]}]})";

TEST(PlanCatalog, ReadsAType) {
  auto catalog = parse_plan_catalog(kOne);
  ASSERT_TRUE(catalog) << catalog.error().message;
  EXPECT_EQ(catalog->name, "one");
  EXPECT_EQ(catalog->label_keys, std::vector<std::string>{"kubernetes.io/arch"});
  ASSERT_EQ(catalog->types.size(), 1u);
  const model::InstanceType& type = catalog->types[0];
  EXPECT_EQ(type.problem, "");
  EXPECT_EQ(type.allocatable().get("cpu"), 1930);
  EXPECT_EQ(type.allocatable().get("memory"), 6903 * kBytesPerMib);
  EXPECT_EQ(type.allocatable().get("ephemeral-storage"), 17 * kBytesPerGib);
  EXPECT_EQ(type.labels.at("kubernetes.io/arch"), std::vector<std::string>{"amd64"});
  EXPECT_EQ(type.labels.at("kubernetes.io/os"), std::vector<std::string>{"linux"});
  EXPECT_EQ(type.labels.at("node.kubernetes.io/instance-type"), std::vector<std::string>{"m5.large"});
  ASSERT_EQ(type.offerings.size(), 2u);
  EXPECT_EQ(type.offerings[0].price, model::Price(33'600'000'000));
  EXPECT_TRUE(type.offerings[0].available);
  EXPECT_EQ(type.offerings[1].price, model::Price(9'600));
  EXPECT_FALSE(type.offerings[1].available);
  EXPECT_EQ(type.offerings[1].reservation_id, "cr-1");
  EXPECT_TRUE(type.offerings[1].reservation_interruptible);
  EXPECT_EQ(type.offerings[1].reservation_capacity, 3);
}

TEST(PlanCatalog, RenderedItReadsBackTheSame) {
  auto one = parse_plan_catalog(kOne);
  ASSERT_TRUE(one);
  auto again = parse_plan_catalog(render_plan_catalog(*one));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*one, *again);
}

TEST(PlanCatalog, TheDemoReadsBackTheSame) {
  PlanCatalog demo = demo_catalog();
  auto again = parse_plan_catalog(render_plan_catalog(demo));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(demo, *again);
}

TEST(PlanCatalog, DemoOffersEveryZone) {
  PlanCatalog demo = demo_catalog();
  EXPECT_EQ(demo.types.size(), demo_instance_types().size());
  size_t usable = 0;
  for (const model::InstanceType& type : demo.types) {
    if (!type.problem.empty()) continue;
    ++usable;
    EXPECT_EQ(type.offerings.size(), 8u) << type.name;
  }
  EXPECT_GE(usable, 120u);
  EXPECT_THAT(demo.label_keys, ::testing::Contains("node.kubernetes.io/windows-build"));
  EXPECT_THAT(demo.label_keys, ::testing::Contains("karpenter.k8s.aws/instance-gpu-name"));
}

struct BadRow {
  const char* text;
  const char* message;
};

TEST(PlanCatalog, RefusesWhatIsMalformed) {
  const BadRow rows[] = {
      {"{", "offset"},
      {"[]", "must be a JSON object"},
      {"{}", "version"},
      {R"({"version":2})", "version: must be 1"},
      {R"({"version":1,"instanceTypes":{}})", "instanceTypes: must be a list"},
      {R"({"version":1,"instanceTypes":[1]})", "instanceTypes[0]: must be an object"},
      {R"({"version":1,"instanceTypes":[{}]})", "instanceTypes[0]: name: must be"},
      {R"({"version":1,"instanceTypes":[{"name":"a","capacity":{"cpu":"x"}}]})", "instanceTypes[0] (a): capacity.cpu"},
      {R"({"version":1,"instanceTypes":[{"name":"a","overhead":{"kubeReserved":[]}}]})",
       "overhead: kubeReserved: must be"},
      {R"({"version":1,"instanceTypes":[{"name":"a","labels":{"k":"v"}}]})", "labels.k: must be a list of strings"},
      {R"({"version":1,"instanceTypes":[{"name":"a","offerings":[{"zone":"z","capacityType":"spot","price":"1"}]}]})",
       "instanceTypes[0] (a): offerings[0]: price: must be a number"},
      {R"({"version":1,"instanceTypes":[{"name":"a","offerings":[{"zone":"z","capacityType":"Spot"}]}]})",
       "capacityType: must be"},
      {R"({"version":1,"instanceTypes":[{"name":"a","offerings":[{"capacityType":"spot"}]}]})", "zone: must be"},
      {R"({"version":1,"instanceTypes":[{"name":"a","offerings":[{"zone":"z","capacityType":"spot","available":1}]}]})",
       "available: must be true or false"}};
  for (const BadRow& row : rows) {
    auto catalog = parse_plan_catalog(row.text);
    ASSERT_FALSE(catalog) << row.text;
    EXPECT_EQ(catalog.error().code, Code::kInvalid) << row.text;
    EXPECT_THAT(catalog.error().message, HasSubstr(row.message)) << row.text;
  }
}

TEST(PlanCatalog, KeepsWhatIsUselessWithItsReason) {
  const BadRow rows[] = {
      {R"({"name":"a"})", "offered nowhere"},
      {R"({"name":"a","offerings":[{"zone":"z","capacityType":"spot"}]})", "the spot offering in z has no price"},
      {R"({"name":"a","offerings":[{"zone":"z","capacityType":"spot","price":-1}]})", "out of range"},
      {R"({"name":"a","capacity":{"cpu":"-1"},"offerings":[{"zone":"z","capacityType":"spot","price":1}]})",
       "capacity is negative"}};
  for (const BadRow& row : rows) {
    auto catalog = parse_plan_catalog(R"({"version":1,"instanceTypes":[)" + std::string(row.text) + "]}");
    ASSERT_TRUE(catalog) << catalog.error().message;
    EXPECT_THAT(catalog->types.at(0).problem, HasSubstr(row.message)) << row.text;
  }
  std::string good = R"({"name":"a","offerings":[{"zone":"z","capacityType":"spot","price":1}]})";
  auto twice = parse_plan_catalog(R"({"version":1,"instanceTypes":[)" + good + "," + good + "]}");
  ASSERT_TRUE(twice);
  EXPECT_EQ(twice->types.at(0).problem, "");
  EXPECT_THAT(twice->types.at(1).problem, HasSubstr("earlier"));
}

}  // namespace
}  // namespace tenon::catalog
