// Zones that traffic is shifted away from, tenancy, and the interfaces of launch templates, on the wire-level AWS.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aws_world.h"
#include "awssim/testing/caller.h"
#include "base/text.h"
#include "json/json.h"

namespace tenon::cloud {
namespace {

using testing::some_claim;
using testing::some_class;
using testing::World;

class ShiftedWorld : public World {
 public:
  // Shifts traffic away from the zone.
  void shift(const std::string& zone_id) {
    http::ServerRequest request{.method = "POST", .raw_path = "/zonalshifts"};
    request.body =
        json::to_string(json::object{{"resourceIdentifier", "arn:aws:eks:us-east-1:123456789012:cluster/demo"},
                                     {"awayFrom", zone_id},
                                     {"expiresIn", "1h"},
                                     {"comment", "test"}});
    const auto answer = caller_.send(std::move(request), "arc-zonal-shift");
    ASSERT_EQ(answer.status, 201) << answer.body;
  }
  Result<Instance> launch(const std::string& name, const std::string& zone) {
    model::NodeClaim claim = some_claim(name, {"m5.large"}, "on-demand");
    claim.requirements.push_back({std::string(model::kLabelZone), model::Operator::kIn, {zone}, {}});
    return provider->create(claim, node_class, {}, {});
  }

  model::NodeClass node_class = ready_class(some_class());

 private:
  awssim::testing::Caller caller_{*fake, runtime};
};

TEST(ZonalShift, NothingIsLaunchedInTheZone) {
  ShiftedWorld world;
  world.shift("use1-az1");
  const auto zones = world.provider->shifted_zones({});
  ASSERT_TRUE(zones) << zones.error().message;
  EXPECT_EQ(*zones, (std::vector<Zone>{{"us-east-1a", "use1-az1"}}));
  EXPECT_EQ(world.launch("default-1", "us-east-1a").error().code, Code::kInsufficientCapacity);
  EXPECT_TRUE(world.launch("default-2", "us-east-1b"));
  world.runtime.advance(1h);  // it expires
  EXPECT_EQ(*world.provider->shifted_zones({}), std::vector<Zone>());
  EXPECT_TRUE(world.launch("default-1", "us-east-1a"));
}

TEST(ZonalShift, InstancesOfTheZoneAreLeftAlone) {
  ShiftedWorld world;
  const auto away = world.launch("default-1", "us-east-1a"), here = world.launch("default-2", "us-east-1b");
  ASSERT_TRUE(away && here);
  ASSERT_EQ(world.provider->list({})->size(), 2u);
  world.shift("use1-az1");
  ASSERT_TRUE(world.provider->shifted_zones({}));
  const int described = world.fake->calls("DescribeInstances");
  EXPECT_EQ(world.provider->get(away->provider_id, {}).error().code, Code::kUnavailable);
  EXPECT_EQ(world.provider->remove(away->provider_id, {}).error().code, Code::kUnavailable);
  model::NodeClaim claim = some_claim("default-1", {"m5.large"}, "on-demand");
  claim.provider_id = away->provider_id;
  EXPECT_EQ(world.provider->name_instance(claim, {}).error().code, Code::kUnavailable);
  EXPECT_EQ(world.fake->calls("DescribeInstances"), described);
  EXPECT_TRUE(world.provider->get(here->provider_id, {}));
  // An instance that a list leaves out still exists while it would be in the zone.
  for (const auto* instance : {&*away, &*here}) {
    ASSERT_TRUE(world.fake->reclaim(instance->provider_id.substr(instance->provider_id.rfind('/') + 1)));
  }
  world.runtime.advance(1min);
  const auto listed = world.provider->list({});
  ASSERT_TRUE(listed);
  ASSERT_EQ(listed->size(), 1u);
  EXPECT_EQ(listed->front().provider_id, away->provider_id);
  world.runtime.advance(1h);
  ASSERT_TRUE(world.provider->shifted_zones({}));
  EXPECT_TRUE(world.provider->list({})->empty());
}

TEST(ZonalShift, AClusterThatIsNotEnrolledSaysSo) {
  World world;
  world.faults["GetManagedResource"] = "ResourceNotFoundException";
  const auto zones = world.provider->shifted_zones({});
  ASSERT_FALSE(zones);
  EXPECT_EQ(zones.error().code, Code::kNotFound);
  EXPECT_THAT(zones.error().message, ::testing::HasSubstr("cluster demo is not enrolled in zonal shift"));
}

TEST(ZonalShift, TheLastAnswerStandsWhileThereIsNone) {
  ShiftedWorld world;
  world.shift("use1-az1");
  ASSERT_TRUE(world.provider->shifted_zones({}));
  world.faults["GetManagedResource"] = "AccessDeniedException";
  EXPECT_FALSE(world.provider->shifted_zones({}));
  EXPECT_FALSE(world.launch("default-1", "us-east-1a"));
}

// The account may launch what its NodePools request, and nothing else.
TEST(Validation, TriesWhatThePoolsAllow) {
  World world;
  const std::vector<std::string>& sent = world.sent;
  model::NodePool pool;
  pool.meta.name = "default";
  pool.node_template.requirements = {{std::string(model::kLabelInstanceType), model::Operator::kIn, {"m5.xlarge"}, {}},
                                     {"karpenter.k8s.aws/instance-tenancy", model::Operator::kIn, {"dedicated"}, {}}};
  const auto resolved = world.provider->resolve(some_class(), {pool}, {});
  ASSERT_TRUE(resolved) << resolved.error().message;
  EXPECT_TRUE(resolved->ready());
  using ::testing::AllOf;
  using ::testing::HasSubstr;
  EXPECT_THAT(sent, ::testing::Contains(AllOf(HasSubstr("Action=RunInstances"), HasSubstr("InstanceType=m5.xlarge"))));
  EXPECT_THAT(sent, ::testing::Contains(
                        AllOf(HasSubstr("Action=CreateLaunchTemplate"), HasSubstr("Placement.Tenancy=dedicated"))));
}

// In any order of the NodePools: dedicated if one of them may use it.
// parity: provider-aws pkg/controllers/nodeclass/validation.go
TEST(Validation, TriesDedicatedIfOnePoolMayHaveIt) {
  const auto pool = [](const std::string& name, const std::string& type, std::vector<std::string> tenancies) {
    model::NodePool out;
    out.meta.name = name;
    out.node_template.requirements = {{std::string(model::kLabelInstanceType), model::Operator::kIn, {type}, {}}};
    if (!tenancies.empty()) {
      out.node_template.requirements.push_back(
          {"karpenter.k8s.aws/instance-tenancy", model::Operator::kIn, std::move(tenancies), {}});
    }
    return out;
  };
  const auto tried = [](const std::vector<model::NodePool>& pools) {
    World world;
    EXPECT_TRUE(world.provider->resolve(some_class(), pools, {}));
    std::string found;
    for (const std::string& body : world.sent) {
      for (const char* part : {"Placement.Tenancy=dedicated", "Placement.Tenancy=default"}) {
        if (body.find("Action=CreateLaunchTemplate") != body.npos && body.find(part) != body.npos) found += part;
      }
      for (const char* type : {"m5.large", "m5.xlarge"}) {
        const std::string part = "InstanceType=" + std::string(type) + "&";
        if (body.find("Action=RunInstances") != body.npos && body.find(part) != body.npos) found += " " + part;
      }
    }
    return found;
  };
  const auto usual = pool("usual", "m5.large", {}), dedicated = pool("dedicated", "m5.xlarge", {"dedicated"}),
             either = pool("either", "m5.xlarge", {"default", "dedicated"});
  EXPECT_EQ(tried({dedicated, usual}), "Placement.Tenancy=dedicated InstanceType=m5.xlarge&");
  EXPECT_EQ(tried({usual, dedicated}), "Placement.Tenancy=dedicated InstanceType=m5.xlarge&");
  EXPECT_EQ(tried({either, usual}), "Placement.Tenancy=dedicated InstanceType=m5.xlarge&");
  EXPECT_EQ(tried({usual}), "Placement.Tenancy=default InstanceType=m5.large&");
}

// A type that does not fit the node class would be rejected for every user.
TEST(Validation, TriesWhatTheClassFits) {
  World world;
  model::NodeClass spec = some_class();
  spec.nested_virtualization = "enabled";
  const std::string group = world.fake->make_placement_group({"", "near", "cluster", 0});
  spec.placement_group.name = "near";
  world.sent.clear();
  EXPECT_TRUE(world.ready_class(spec).ready());
  using ::testing::AllOf;
  using ::testing::ContainsRegex;
  using ::testing::HasSubstr;
  EXPECT_THAT(world.sent,
              ::testing::Contains(AllOf(HasSubstr("Action=RunInstances"), ContainsRegex("InstanceType=[cmr]8i"))));
  EXPECT_THAT(world.sent, ::testing::Contains(AllOf(HasSubstr("Action=CreateLaunchTemplate"),
                                                    HasSubstr("Placement.GroupId=" + group))));
}

TEST(Refresh, SelectorsAreAskedForAgainAfterTheInterval) {
  World world;
  AwsProviderOptions options{.cluster_name = "demo"};
  options.ami_refresh = 10min;
  options.subnet_refresh = 5min;
  world.restart(options);
  const auto asked_after = [&](Duration span) {
    world.runtime.advance(span);
    EXPECT_TRUE(world.provider->resolve(some_class(), {}, {}));
    return std::pair(world.fake->calls("DescribeImages"), world.fake->calls("DescribeSubnets"));
  };
  const auto first = asked_after(0s), later = asked_after(4min), subnets = asked_after(1min), both = asked_after(5min);
  EXPECT_EQ(later, first);
  EXPECT_EQ(subnets.first, first.first);
  EXPECT_GT(subnets.second, first.second);
  EXPECT_GT(both.first, first.first);
}

TEST(Tenancy, IsThatOfTheClaim) {
  ShiftedWorld world;
  model::NodeClaim claim = some_claim("default-1", {"m5.large"}, "on-demand");
  claim.requirements.push_back({"karpenter.k8s.aws/instance-tenancy", model::Operator::kIn, {"dedicated"}, {}});
  const auto made = world.provider->create(claim, world.node_class, {}, {});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->labels.at("karpenter.k8s.aws/instance-tenancy"), "dedicated");
  EXPECT_EQ(world.instance(made->provider_id).tenancy, "dedicated");
  const auto usual =
      world.provider->create(some_claim("default-2", {"m5.large"}, "on-demand"), world.node_class, {}, {});
  ASSERT_TRUE(usual) << usual.error().message;
  EXPECT_EQ(world.instance(usual->provider_id).tenancy, "default");
}

}  // namespace
}  // namespace tenon::cloud
