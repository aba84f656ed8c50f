// SPDX-License-Identifier: Apache-2.0
#include "controllers/provisioning/effective_zone.h"

#include <gtest/gtest.h>

#include "model/labels.h"

namespace tenon::controllers::provisioning {
namespace {

scheduling::Snapshot snapshot() {
  model::InstanceType type;
  for (const char* zone : {"a", "b", "c"}) {
    model::Offering offering;
    offering.zone = zone;
    type.offerings.push_back(offering);
  }
  scheduling::Snapshot out;
  out.pools.push_back(
      {std::make_shared<model::NodePool>(), std::make_shared<const std::vector<model::InstanceType>>(1, type), ""});
  return out;
}

model::RequirementSpec zone_in(std::vector<std::string> zones) {
  return {std::string(model::kLabelZone), model::Operator::kIn, std::move(zones), std::nullopt};
}

std::string zone_of(const scheduling::Snapshot& snapshot, const model::PodSpec& spec) {
  model::Pod pod;
  pod.meta.ns = "default";
  pod.meta.name = "web";
  pod.spec = Shared<model::PodSpec>(spec);
  return EffectiveZones(snapshot).of(pod);
}

TEST(EffectiveZones, BySelectorAndAffinity) {
  const auto now = snapshot();
  EXPECT_EQ(zone_of(now, {}), "flexible");
  model::PodSpec spec;
  spec.node_selector = {{"failure-domain.beta.kubernetes.io/zone", "b"}};
  EXPECT_EQ(zone_of(now, spec), "b");
  spec.affinity.required_node_terms = {{{zone_in({"a"})}, {}}};
  EXPECT_EQ(zone_of(now, spec), "none");
  spec.affinity.required_node_terms.push_back({{zone_in({"b", "c"})}, {}});
  EXPECT_EQ(zone_of(now, spec), "b");
  spec.node_selector.clear();
  EXPECT_EQ(zone_of(now, spec), "flexible");
  spec.node_selector = {{std::string(model::kLabelZone), "elsewhere"}};
  EXPECT_EQ(zone_of(now, spec), "none");
}

TEST(EffectiveZones, ByVolumes) {
  auto now = snapshot();
  now.volume_claims["default/data"].volume_name = "pv";
  now.volumes["pv"].required_node_terms = {{{zone_in({"c"})}, {}}};
  now.volume_claims["default/unbound"].storage_class = "two";
  now.storage_classes["two"].allowed_topologies = {{{zone_in({"a", "b"})}, {}}};
  now.storage_classes["one"].allowed_topologies = {{{zone_in({"a"})}, {}}};
  model::PodSpec spec;
  spec.volumes = {{.name = "data", .claim_name = "data"}};
  EXPECT_EQ(zone_of(now, spec), "c");
  spec.volumes.push_back({.name = "more", .claim_name = "unbound"});
  EXPECT_EQ(zone_of(now, spec), "none");
  spec.volumes = {{.name = "scratch", .ephemeral = true, .storage_class = "one"}};
  EXPECT_EQ(zone_of(now, spec), "a");
}

}  // namespace
}  // namespace tenon::controllers::provisioning
