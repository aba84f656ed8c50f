// SPDX-License-Identifier: Apache-2.0
#include "cloud/kwok_provider/instance_types.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cloud/kwok_provider/type_labels.h"
#include "model/kwok.h"
#include "model/labels.h"

namespace tenon::cloud {
namespace {

using model::InstanceType;

const InstanceType& named(const std::vector<InstanceType>& types, const std::string& name) {
  const auto at = std::find_if(types.begin(), types.end(), [&](const auto& type) { return type.name == name; });
  EXPECT_NE(at, types.end()) << name;
  return at == types.end() ? types.front() : *at;
}

std::string label(const InstanceType& type, std::string_view key) {
  const auto at = type.labels.find(key);
  return at == type.labels.end() || at->second.empty() ? "" : at->second.front();
}

std::string price(const InstanceType& type, const std::string& zone, const std::string& capacity_type) {
  for (const model::Offering& offering : type.offerings) {
    if (offering.zone == zone && offering.capacity_type == capacity_type) return model::format_usd(offering.price);
  }
  return "no offering";
}

std::string refusal(const std::string& json) {
  const auto types = parse_kwok_types(json);
  return types ? "accepted" : types.error().message;
}

// A type whose first offering has these members beside its price.
std::string with_offering(const std::string& members) {
  return R"([{"name":"a.large","architecture":"amd64","operatingSystems":["linux"],)"
         R"("resources":{"cpu":"2","memory":"8Gi"},"offerings":[{"price":0.1,)" +
         members + "}]}]";
}

TEST(KwokTypes, DefaultsAreThoseOfKarpenter) {
  const auto types = default_kwok_types();
  EXPECT_EQ(types.size(), 144u);
  EXPECT_TRUE(std::is_sorted(types.begin(), types.end(), [](const auto& a, const auto& b) { return a.name < b.name; }));
  const InstanceType& small = named(types, "c-1x-amd64-linux");
  EXPECT_EQ(small.capacity.get("cpu"), 1000);
  EXPECT_EQ(small.capacity.get("memory"), int64_t{2} << 30);
  EXPECT_EQ(small.capacity.get("pods"), 16);
  EXPECT_EQ(small.capacity.get("ephemeral-storage"), int64_t{20} << 30);
  EXPECT_EQ(small.allocatable().get("cpu"), 900);
  EXPECT_EQ(small.allocatable().get("memory"), (int64_t{2048} - 10) << 20);
  EXPECT_EQ(small.offerings.size(), 8u);
  EXPECT_EQ(price(small, "test-zone-d", "on-demand"), "0.027147484");  // of the file of Karpenter, to nine digits
  EXPECT_EQ(price(small, "test-zone-a", "spot"), "0.019003239");
  const InstanceType& large = named(types, "m-256x-arm64-windows");
  EXPECT_EQ(large.capacity.get("pods"), 1024);
  EXPECT_EQ(label(large, model::kLabelArch), "arm64");
  EXPECT_EQ(label(large, model::kLabelOs), "windows");
  EXPECT_EQ(label(large, model::kLabelKwokMemory), "2Ti");
  EXPECT_EQ(label(large, model::kLabelKwokCpu), "256");
  EXPECT_EQ(label(large, model::kLabelKwokFamily), "m");
  EXPECT_EQ(label(large, model::kLabelKwokSize), "256");
}

TEST(KwokTypes, NamesGiveFamilyAndSize) {
  EXPECT_EQ(kwok_family("m5.2xlarge"), "m5");
  EXPECT_EQ(kwok_family("n2-standard-4"), "n2");
  EXPECT_EQ(kwok_family("Standard_D2s"), "S");
  EXPECT_EQ(kwok_size("m5.2xlarge", "8"), "2xlarge");
  EXPECT_EQ(kwok_size("m5.xlarge", "4"), "xlarge");
  EXPECT_EQ(kwok_size("c7g.metal", "64"), "metal");
  EXPECT_EQ(kwok_size("c7g.metal-24xl", "96"), "96");
  EXPECT_EQ(kwok_size("u-6tb1.metal", "448"), "448") << "the family has a dash";
  EXPECT_EQ(kwok_size("c-4x-amd64-linux", "4"), "4");
}

TEST(KwokTypes, AFileNamesItsFieldsInAnyCase) {
  const auto types = parse_kwok_types(R"([
    {"name": "b.large", "architecture": "arm64", "operatingSystems": ["linux", "windows"],
     "resources": {"cpu": "1500m", "memory": "4Gi", "pods": "30", "nvidia.com/gpu": 1},
     "offerings": [{"Price": 0.5, "Available": false, "Requirements": [
       {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["spot", "on-demand"]},
       {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["z1"]}]}]},
    {"Name": "a.large", "Architecture": "amd64", "OperatingSystems": ["linux"],
     "Resources": {"cpu": 2, "memory": "8Gi"},
     "Offerings": [{"capacityType": "on-demand", "zone": "z2", "price": 1}]}])");
  ASSERT_TRUE(types) << types.error().message;
  ASSERT_EQ(types->size(), 2u);
  const InstanceType &a = types->front(), &b = types->back();
  EXPECT_EQ(a.name, "a.large");
  EXPECT_EQ(a.capacity.get("pods"), 110) << "by default";
  EXPECT_EQ(price(a, "z2", "on-demand"), "1");
  EXPECT_EQ(b.capacity.get("cpu"), 1500);
  EXPECT_EQ(b.capacity.get("pods"), 30);
  EXPECT_EQ(b.capacity.get("nvidia.com/gpu"), 1);
  EXPECT_EQ(b.labels.at(std::string(model::kLabelOs)), (std::vector<std::string>{"linux", "windows"}));
  ASSERT_EQ(b.offerings.size(), 2u);
  EXPECT_TRUE(b.offerings.front().available) << "whatever the file says";
}

// Karpenter's file of the types of AWS lists a type once for each operating system.
TEST(KwokTypes, OneNameMayHaveSeveralSystems) {
  const std::string on_linux = with_offering(R"("zone":"z","capacityType":"spot")");
  std::string windows = on_linux;
  windows.replace(windows.find("linux"), 5, "windows");
  const auto types = parse_kwok_types(windows.substr(0, windows.size() - 1) + "," + on_linux.substr(1));
  ASSERT_TRUE(types) << types.error().message;
  ASSERT_EQ(types->size(), 1u);
  EXPECT_EQ(types->front().labels.at(std::string(model::kLabelOs)), (std::vector<std::string>{"windows", "linux"}));
  EXPECT_EQ(types->front().labels.at(std::string(model::kLabelArch)), (std::vector<std::string>{"amd64"}));
}

TEST(KwokTypes, ErrorsNameTheField) {
  EXPECT_EQ(refusal("{}"), "must be a list of instance types");
  EXPECT_EQ(refusal("[]"), "must have at least one instance type");
  EXPECT_EQ(refusal("[{}]"), "[0].name: must be a text");
  EXPECT_EQ(refusal(with_offering(R"("zone":"z")")), "[0].offerings[0]: has no capacity type");
  EXPECT_EQ(refusal(with_offering(R"("capacityType":"spot")")), "[0].offerings[0]: has no zone");
  EXPECT_EQ(refusal(with_offering(R"("zone":"z","capacityType":"reserved")")),
            "[0].offerings[0]: has the capacity type reserved, which is neither on-demand nor spot");
  EXPECT_EQ(
      refusal(with_offering(R"("Requirements":[{"key":"team","operator":"In","values":["a"]}])")),
      "[0].offerings[0].requirements[0].key: must be topology.kubernetes.io/zone or karpenter.sh/capacity-type, not "
      "team");
  EXPECT_EQ(refusal(with_offering(R"("Requirements":[{"key":"team","operator":"Exists"}])")),
            "[0].offerings[0].requirements[0].operator: must be In");
  const std::string valid = with_offering(R"("zone":"z","capacityType":"spot")");
  EXPECT_EQ(refusal(valid), "accepted");
  const std::string other = with_offering(R"("zone":"other","capacityType":"spot")");
  EXPECT_EQ(refusal(valid.substr(0, valid.size() - 1) + "," + other.substr(1)),
            "has the instance type a.large twice, with other resources or offerings");
  EXPECT_NE(refusal(R"([{"name":"a","architecture":"amd64","operatingSystems":["linux"],"resources":{"cpu":"x"}}])")
                .find("[0].resources.cpu: "),
            std::string::npos);
}

}  // namespace
}  // namespace tenon::cloud
