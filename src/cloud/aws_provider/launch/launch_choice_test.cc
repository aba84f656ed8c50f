// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/launch/launch_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cloud/aws_provider/launch/launch_errors.h"
#include "cloud/aws_provider/launch/launcher.h"
#include "model/labels.h"

namespace tenon::cloud {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

model::Offering offering(const std::string& zone, std::string_view capacity_type, const std::string& usd) {
  model::Offering out;
  out.zone = zone;
  out.capacity_type = capacity_type;
  out.price = *model::parse_price(usd);
  return out;
}

model::InstanceType type(const std::string& name, int64_t vcpus, std::vector<model::Offering> offerings) {
  model::InstanceType out;
  out.name = name;
  out.labels = {{"kubernetes.io/arch", {"amd64"}},
                {"node.kubernetes.io/instance-type", {name}},
                {"karpenter.k8s.aws/instance-family", {name.substr(0, name.find('.'))}}};
  out.capacity = {{"cpu", vcpus * 1000}, {"memory", vcpus << 32}, {"pods", 29}};
  out.offerings = std::move(offerings);
  return out;
}

model::NodeClaim claim(std::vector<model::RequirementSpec> requirements = {}) {
  model::NodeClaim out;
  out.meta.name = "default-x";
  out.meta.uid = "uid-1";
  out.requirements = std::move(requirements);
  out.requests = {{"cpu", 1500}};
  return out;
}

model::RequirementSpec in(std::string_view key, std::vector<std::string> values) {
  return {std::string(key), model::Operator::kIn, std::move(values), {}};
}

std::vector<std::string> names(const LaunchChoice& choice) {
  std::vector<std::string> out;
  for (const LaunchCandidate& c : choice.candidates) out.push_back(c.type->name);
  return out;
}

TEST(ChooseLaunch, OrdersByPriceAndDropsWhatDoesNotFit) {
  const std::vector<model::InstanceType> types = {
      type("m5.xlarge", 4, {offering("a", "on-demand", "0.192")}),
      type("m5.large", 2, {offering("b", "on-demand", "0.10"), offering("a", "on-demand", "0.096")}),
      type("t3.micro", 1, {offering("a", "on-demand", "0.01")}),
      type("c5.large", 2, {offering("a", "on-demand", "0.096")})};
  const auto choice = choose_launch(claim(), types);
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->capacity_type, "on-demand");
  EXPECT_THAT(names(*choice), ElementsAre("c5.large", "m5.large", "m5.xlarge"));
  EXPECT_EQ(choice->candidates[1].offerings.front()->zone, "a");
}

TEST(ChooseLaunch, HonoursRequirements) {
  const std::vector<model::InstanceType> types = {
      type("m5.large", 2, {offering("a", "on-demand", "0.1"), offering("b", "on-demand", "0.1")}),
      type("c5.large", 2, {offering("a", "on-demand", "0.09")})};
  const auto zonal = choose_launch(claim({in(model::kLabelZone, {"b"})}), types);
  ASSERT_TRUE(zonal);
  EXPECT_THAT(names(*zonal), ElementsAre("m5.large"));
  EXPECT_EQ(zonal->candidates[0].offerings.size(), 1u);
  EXPECT_THAT(names(*choose_launch(claim({in(model::kLabelInstanceType, {"c5.large"})}), types)),
              ElementsAre("c5.large"));
  // One of our labels that no type has must not exist; labels of users do not count.
  EXPECT_FALSE(
      choose_launch(claim({{"karpenter.k8s.aws/instance-gpu-count", model::Operator::kExists, {}, {}}}), types));
  EXPECT_TRUE(choose_launch(claim({in("type", {"karpenter"}), in(model::kLabelNodePool, {"default"})}), types));
}

TEST(ChooseLaunch, PrefersSpotUnlessItIsDearer) {
  const std::vector<model::InstanceType> types = {
      type("m5.large", 2,
           {offering("a", "on-demand", "0.1"), offering("a", "spot", "0.03"), offering("b", "spot", "0.2")}),
      type("c5.large", 2, {offering("b", "spot", "0.15")})};
  const auto both = choose_launch(claim(), types);
  ASSERT_TRUE(both);
  EXPECT_EQ(both->capacity_type, "spot");
  EXPECT_THAT(names(*both), ElementsAre("m5.large"));
  EXPECT_EQ(both->candidates[0].offerings.size(), 1u);  // not zone b: more expensive than on-demand
  const auto spot_only = choose_launch(claim({in(model::kLabelCapacityType, {"spot"})}), types);
  EXPECT_THAT(names(*spot_only), ElementsAre("m5.large", "c5.large"));
  EXPECT_EQ(choose_launch(claim({in(model::kLabelCapacityType, {"on-demand"})}), types)->capacity_type, "on-demand");
}

TEST(ChooseLaunch, TheHighestPriceIsThatOfWhatMayBeRequested) {
  std::vector<model::InstanceType> types = {
      type("m5.large", 2, {offering("a", "on-demand", "0.1"), offering("a", "spot", "0.03")}),
      type("c5.large", 2, {offering("b", "spot", "0.05"), offering("a", "spot", "0.2")})};
  const auto highest = [&](const model::NodeClaim& of) { return highest_price_of(*choose_launch(of, types)); };
  EXPECT_EQ(highest(claim()), *model::parse_price("0.05")) << "spot at more than on-demand is not requested";
  EXPECT_EQ(highest(claim({in(model::kLabelCapacityType, {"spot"})})), *model::parse_price("0.2"));
  EXPECT_EQ(highest(claim({in(model::kLabelInstanceType, {"m5.large"})})), *model::parse_price("0.03"));
  for (size_t i = 0; i < kMaxLaunchTypes; ++i)
    types.push_back(type("t" + std::to_string(i) + ".large", 2, {offering("a", "spot", "0.04")}));
  EXPECT_EQ(highest(claim()), *model::parse_price("0.04")) << "the most expensive ones of many are left out";
}

TEST(ChooseLaunch, ExoticTypesAreTheLastResort) {
  model::InstanceType gpu = type("g5.xlarge", 4, {offering("a", "on-demand", "0.01")});
  gpu.capacity.set("nvidia.com/gpu", 1);
  const model::InstanceType metal = type("m5.metal", 96, {offering("a", "on-demand", "0.02")});
  const model::InstanceType plain = type("m5.large", 2, {offering("a", "on-demand", "0.1")});
  EXPECT_THAT(names(*choose_launch(claim(), {gpu, metal, plain})), ElementsAre("m5.large"));
  EXPECT_THAT(names(*choose_launch(claim(), {gpu, metal})), ElementsAre("g5.xlarge", "m5.metal"));
}

TEST(ChooseLaunch, SaysWhenNothingIsLeft) {
  model::InstanceType gone = type("m5.large", 2, {offering("a", "on-demand", "0.1")});
  gone.offerings[0].available = false;
  const auto choice = choose_launch(claim(), {gone});
  ASSERT_FALSE(choice);
  EXPECT_EQ(choice.error().code, Code::kInsufficientCapacity);
  EXPECT_EQ(choice.error().message, "all requested instance types were unavailable during launch");
}

TEST(ChooseLaunch, CutsToSixtyTypesAndKeepsMinValues) {
  std::vector<model::InstanceType> types;
  for (int i = 0; i < 100; ++i) {
    const std::string family = i < 90 ? "m5" : "z" + std::to_string(i);
    types.push_back(type(family + ".x" + std::to_string(i), 2, {offering("a", "on-demand", std::to_string(i + 1))}));
  }
  EXPECT_EQ(choose_launch(claim(), types)->candidates.size(), kMaxLaunchTypes);
  model::RequirementSpec families{"karpenter.k8s.aws/instance-family", model::Operator::kExists, {}, 2};
  const auto cut = choose_launch(claim({families}), types);
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().code, Code::kInsufficientCapacity);
  EXPECT_THAT(cut.error().message,
              HasSubstr("minValues of karpenter.k8s.aws/instance-family asks for 2 values, 1 are left"));
  model::NodeClaim relaxed = claim({families});
  relaxed.meta.annotations[std::string(model::kAnnotationMinValuesRelaxed)] = "true";
  EXPECT_TRUE(choose_launch(relaxed, types));
}

struct ReservedCase {
  const char* why;
  std::vector<model::Offering> m5, p5;
  std::vector<model::RequirementSpec> requirements;
  std::vector<std::string> left;  // reservation ids of the choice, in its order
};

model::Offering reserved(const std::string& zone, const std::string& id, int places, const std::string& usd,
                         const std::string& reservation_type = "default", bool interruptible = false) {
  model::Offering out = offering(zone, "reserved", usd);
  out.reservation_id = id;
  out.reservation_type = reservation_type;
  out.reservation_interruptible = interruptible;
  out.reservation_capacity = places;
  return out;
}

TEST(ChooseLaunch, ReservationsFirstAndOfOneKind) {
  const ReservedCase cases[] = {
      {"before cheaper spot", {offering("a", "spot", "0.0000001"), reserved("a", "cr-1", 1, "0.1")}, {}, {}, {"cr-1"}},
      {"the roomiest of a zone",
       {reserved("a", "cr-1", 1, "0.1"), reserved("a", "cr-2", 5, "0.1"), reserved("b", "cr-3", 1, "0.1")},
       {},
       {},
       {"cr-2", "cr-3"}},
      {"the kind with the cheapest one",
       {reserved("a", "cr-1", 1, "0.2")},
       {reserved("a", "cr-2", 1, "0.1", "default", true)},
       {},
       {"cr-2"}},
      {"of equally cheap ones the ordinary kind",
       {reserved("a", "cr-1", 1, "0.1", "default", true), reserved("b", "cr-2", 1, "0.1")},
       {reserved("a", "cr-3", 1, "0.1", "capacity-block")},
       {},
       {"cr-2"}},
      {"then blocks, of which one only",
       {reserved("a", "cr-1", 1, "0.1", "default", true), reserved("b", "cr-2", 1, "0.2", "capacity-block")},
       {reserved("a", "cr-3", 1, "0.1", "capacity-block"), reserved("b", "cr-4", 1, "0.1", "capacity-block")},
       {},
       {"cr-3"}},
      {"by id",
       {reserved("a", "cr-1", 1, "0.1"), reserved("b", "cr-2", 1, "0.1")},
       {},
       {in(model::kLabelReservationId, {"cr-2"})},
       {"cr-2"}},
      {"by type",
       {reserved("a", "cr-1", 1, "0.1"), reserved("b", "cr-2", 1, "0.1", "capacity-block")},
       {},
       {in(model::kLabelReservationType, {"capacity-block"})},
       {"cr-2"}},
      {"not what may be taken back",
       {reserved("a", "cr-1", 1, "0.1", "default", true), reserved("b", "cr-2", 1, "0.1")},
       {},
       {in(model::kLabelReservationInterruptible, {"false"})},
       {"cr-2"}},
      {"an id that is asked for excludes what is no reservation",
       {offering("a", "on-demand", "0.1")},
       {},
       {in(model::kLabelReservationId, {"cr-9"})},
       {}},
  };
  for (const ReservedCase& c : cases) {
    SCOPED_TRACE(c.why);
    const std::vector<model::InstanceType> types = {type("m5.large", 2, c.m5), type("p5.large", 2, c.p5)};
    const auto choice = choose_launch(claim(c.requirements), types);
    std::vector<std::string> left;
    if (choice) {
      EXPECT_EQ(choice->capacity_type, "reserved");
      for (const LaunchCandidate& candidate : choice->candidates) {
        for (const model::Offering* o : candidate.offerings) left.push_back(o->reservation_id);
      }
    }
    EXPECT_EQ(left, c.left);
  }
}

TEST(LaunchGroups, OnePerReservation) {
  const std::vector<model::InstanceType> types = {
      type("m5.large", 2, {reserved("a", "cr-1", 1, "0.1"), reserved("b", "cr-2", 1, "0.1")}),
      type("m5a.large", 2, {reserved("a", "cr-3", 1, "0.1")})};
  const auto groups = group_candidates(*choose_launch(claim(), types), {{"ami-1", "", false, {}}}, false);
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[1].reservation_id, "cr-2");
  EXPECT_EQ(groups[1].reservation_type, "default");
}

TEST(LaunchGroups, OnePerImageAndPodLimit) {
  std::vector<model::InstanceType> types = {
      type("m5.large", 2, {offering("a", "spot", "1")}),
      type("m5.xlarge", 4, {offering("a", "spot", "2"), offering("b", "spot", "2")}),
      type("c5.large", 2, {offering("b", "spot", "3")}), type("m6g.large", 2, {offering("b", "spot", "4")})};
  types[1].capacity.set("pods", 58);
  types[3].labels["kubernetes.io/arch"] = {"arm64"};
  const LaunchChoice choice = *choose_launch(claim(), types);
  const std::vector<model::ResolvedAmi> amis = {
      {"ami-1", "", false, {{"kubernetes.io/arch", model::Operator::kIn, {"amd64"}, {}}}}};
  const auto groups = group_candidates(choice, amis, false);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].max_pods, 29);
  EXPECT_EQ(groups[0].candidates.size(), 2u);
  EXPECT_EQ(groups[1].max_pods, 58);
  EXPECT_THAT(addresses_by_zone(choice), ElementsAre(Pair("a", 29), Pair("b", 29)));
}

TEST(Tenancy, IsDedicatedWhereNothingElseWillDo) {
  const auto tenancy = [](model::Operator op, std::vector<std::string> values) {
    model::NodeClaim of = claim();
    of.requirements.push_back({std::string(kLabelTenancy), op, std::move(values), {}});
    return tenancy_of(of);
  };
  EXPECT_EQ(tenancy_of(claim()), "default");
  EXPECT_EQ(tenancy(model::Operator::kIn, {"dedicated"}), "dedicated");
  EXPECT_EQ(tenancy(model::Operator::kNotIn, {"default"}), "dedicated");
  EXPECT_EQ(tenancy(model::Operator::kIn, {"default"}), "default");
  EXPECT_EQ(tenancy(model::Operator::kIn, {"dedicated", "default"}), "default");
}

// On-demand of few types, although spot is allowed.
TEST(ChooseLaunch, ANarrowFallbackIsTold) {
  std::vector<model::InstanceType> types;
  for (size_t i = 0; i < kFlexibleTypes; ++i) {
    types.push_back(type("m5.x" + std::to_string(i), 2, {offering("a", "on-demand", "0.1")}));
  }
  const model::NodeClaim any = claim(), on_demand = claim({in(model::kLabelCapacityType, {"on-demand"})});
  EXPECT_FALSE(narrow_fallback(any, *choose_launch(any, types))) << "enough types";
  types.pop_back();
  EXPECT_FALSE(narrow_fallback(on_demand, *choose_launch(on_demand, types))) << "spot is not allowed";
  const auto told = narrow_fallback(any, *choose_launch(any, types));
  EXPECT_EQ(told,
            "nodeclaim/default-x: at least 5 instance types are recommended when flexible to spot but requesting "
            "on-demand, this request has 4");
  types[0].offerings.push_back(offering("b", "spot", "0.01"));
  EXPECT_FALSE(narrow_fallback(any, *choose_launch(any, types))) << "spot it is";
}

TEST(ChooseLaunch, TellsWhatEachFilterLeftOut) {
  std::vector<model::InstanceType> types = {
      type("m5.large", 2, {offering("a", "spot", "0.03"), offering("a", "on-demand", "0.096")}),
      type("m5.xlarge", 4, {offering("a", "spot", "0.12")}),
      type("c5.metal", 96, {offering("a", "spot", "0.05")}),
      type("t3.micro", 1, {offering("a", "spot", "0.01")}),
  };
  const auto choice = choose_launch(claim(), types);
  ASSERT_TRUE(choice);
  EXPECT_THAT(left_out_lines(claim(), *choice),
              ElementsAre("nodeclaim/default-x: the exotic-instance-filter leaves out c5.metal",
                          "nodeclaim/default-x: the spot-offering-filter leaves out m5.xlarge"));
  for (char size = 'a'; size <= 'f'; ++size) {
    types.push_back(type("x1." + std::string(1, size) + "-metal", 64, {offering("a", "spot", "0.05")}));
  }
  EXPECT_THAT(left_out_lines(claim(), *choose_launch(claim(), types)).front(),
              HasSubstr("leaves out c5.metal, x1.a-metal, x1.b-metal, x1.c-metal, x1.d-metal and 2 more"));
}

TEST(MakeInstance, TellsWhatTheClaimGets) {
  model::InstanceType m5 = type("m5.large", 2, {offering("us-east-1a", "spot", "1")});
  m5.offerings[0].zone_id = "use1-az1";
  m5.labels["karpenter.k8s.aws/instance-tenancy"] = {"dedicated", "default"};
  m5.capacity.set("vpc.amazonaws.com/efa", 1);
  m5.overhead = {{"cpu", 70}};
  model::NodeClaim of = claim();
  of.meta.labels["karpenter.sh/nodepool"] = "default";
  const Instance instance = make_instance(m5, {"i-1", "us-east-1a", "spot", "ami-1", Instant{}}, of);
  EXPECT_EQ(instance.provider_id, "aws:///us-east-1a/i-1");
  EXPECT_EQ(instance.labels.at("node.kubernetes.io/instance-type"), "m5.large");
  EXPECT_EQ(instance.labels.at("topology.k8s.aws/zone-id"), "use1-az1");
  EXPECT_EQ(instance.labels.at("karpenter.sh/capacity-type"), "spot");
  EXPECT_EQ(instance.labels.at("karpenter.sh/nodepool"), "default");
  EXPECT_EQ(instance.labels.at("karpenter.k8s.aws/instance-tenancy"), "default");
  EXPECT_EQ(instance.allocatable.get("cpu"), 1930);
  EXPECT_FALSE(instance.capacity.has("vpc.amazonaws.com/efa"));
  LaunchedFacts by_class{"i-1", "us-east-1a", "spot", "ami-1", Instant{}};
  by_class.efa_of_class = true;
  EXPECT_TRUE(make_instance(m5, by_class, of).capacity.has("vpc.amazonaws.com/efa"));
  of.requests.set("vpc.amazonaws.com/efa", 1);
  EXPECT_TRUE(
      make_instance(m5, {"i-1", "us-east-1a", "spot", "ami-1", Instant{}}, of).capacity.has("vpc.amazonaws.com/efa"));
}

TEST(LaunchErrors, AreClassified) {
  EXPECT_EQ(classify_launch("InsufficientInstanceCapacity"), LaunchProblem::kOfferingGone);
  EXPECT_EQ(classify_launch("Unsupported"), LaunchProblem::kOfferingGone);
  EXPECT_EQ(classify_launch("VcpuLimitExceeded"), LaunchProblem::kOfferingGone);
  EXPECT_EQ(classify_launch("InsufficientHostCapacity"), LaunchProblem::kOfferingGone);
  EXPECT_EQ(classify_launch("InsufficientFreeAddressesInSubnet"), LaunchProblem::kSubnetFull);
  EXPECT_EQ(classify_launch("AuthFailure.ServiceLinkedRoleCreationNotPermitted"), LaunchProblem::kSpotNotAllowed);
  EXPECT_EQ(classify_launch("InvalidLaunchTemplateName.NotFoundException"), LaunchProblem::kTemplateGone);
  EXPECT_EQ(classify_launch("IdempotentParameterMismatch"), LaunchProblem::kTokenReused);
  EXPECT_EQ(classify_launch("UnauthorizedOperation"), LaunchProblem::kOther);
}

TEST(LaunchErrors, HaveReasons) {
  const std::string denied = "User is not authorized to perform this operation ";
  struct Case {
    std::string text, reason, message;
  };
  const Case cases[] = {
      {"AuthFailure.ServiceLinkedRoleCreationNotPermitted: x", "SpotSLRCreationFailed",
       "User does not have sufficient permission to create the Spot ServiceLinkedRole to launch spot instances"},
      {"UnauthorizedOperation: x with an explicit deny in a permissions boundary", "Unauthorized",
       denied + "due to a permission boundary"},
      {"AccessDenied: x with an explicit deny in a service control policy", "Unauthorized",
       denied + "due to a service control policy"},
      {"AuthFailure: Not authorized for images: [ami-1]", "AMIAuthorizationFailure",
       "User is not authorized for AMI used in instance launch"},
      {"UnauthorizedOperation: x", "Unauthorized", denied + "because no identity-based policy allows it"},
      {"AccessDenied: x", "Unauthorized", denied + "because no identity-based policy allows it"},
      {"AuthFailure: x", "Unauthorized", denied + "because no identity-based policy allows it"},
      {"InvalidParameter: x belong to different networks", "SecurityGroupSubnetVPCMismatch",
       "Security groups and subnets must be in the same VPC."},
      {"InvalidParameterValue: Value (p) for parameter iamInstanceProfile.name is invalid",
       "InstanceProfileNameInvalid", "Instance profile name used from EC2NodeClass status does not exist"},
      {"InvalidLaunchTemplateId.NotFound: x", "LaunchTemplateNotFound",
       "Launch template used for instance launch wasn't found"},
      {"InvalidUserData.Malformed: User data is limited to 16384 bytes", "UserDataSizeLimitExceeded",
       "Rendered user data exceeds the EC2 user data size limit"},
      {"InvalidAMIID.Malformed: x", "InvalidAMIID", "AMI used for instance launch is invalid"},
      {"InvalidAMIID.NotFound: x", "AMINotFound",
       "AMI used for instance launch either does not exist or you don't have permissions to use it"},
      {"RequestLimitExceeded: x", "RequestLimitExceeded", "Request limit exceeded"},
      {"InternalError: x", "InternalError", "An internal error has occurred"},
      {"InvalidParameterCombination: x is not eligible for Free Tier", "FreeTierIneligible",
       "The specified instance type is not eligible for Free Tier"},
      {"MaxFleetCountExceeded: x", "FleetQuotaExceeded",
       "A fleet launch was requested but this would exceed your fleet request quota"},
      {"PendingVerification: x", "AccountPendingVerification",
       "An instance launch was requested but the request for launching resources in this region is still being "
       "verified"},
      {"MaxSpotInstanceCountExceeded: x", "SpotQuotaExceeded",
       "A spot instance launch was requested but this would exceed your spot instance quota"},
      {"VcpuLimitExceeded: x", "VCPULimitExceeded", "An instance was requested that would exceed your VCPU quota"},
      {"InsufficientFreeAddressesInSubnet: x", "InsufficientFreeAddressesInSubnet",
       "There are not enough free IP addresses to launch an instance in this subnet"},
      {"Whatever: x with an explicit deny in a service control policy", "LaunchFailed", "Instance launch failed"},
      {"Whatever: x", "LaunchFailed", "Instance launch failed"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(launch_reason(c.text).reason, c.reason) << c.text;
    EXPECT_EQ(launch_reason(c.text).message, c.message) << c.text;
  }
}

TEST(LaunchErrors, Combine) {
  EXPECT_EQ(combine_fleet_errors({}).code, Code::kInsufficientCapacity);
  const aws::FleetError full{"InsufficientInstanceCapacity", "none", "spot", {}};
  const aws::FleetError denied{"UnauthorizedOperation", "You are not authorized", "spot", {}};
  const Error ice = combine_fleet_errors({full, full});
  EXPECT_EQ(ice.code, Code::kInsufficientCapacity);
  EXPECT_EQ(ice.message, "with fleet error(s), InsufficientInstanceCapacity: none");
  const Error other = combine_fleet_errors({full, denied});
  EXPECT_EQ(other.code, Code::kForbidden);
  EXPECT_THAT(other.message, HasSubstr("Unauthorized: User is not authorized"));
}

}  // namespace
}  // namespace tenon::cloud
