// The AWS provider against the wire-level AWS of the minicluster: two independent implementations of the wire format.
// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/aws_provider.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "aws/ec2.h"
#include "aws/iam.h"
#include "base/text.h"
#include "cloud/aws_provider/types/learned_memory.h"
#include "cloud/aws_provider/types/unavailable_offerings.h"
#include "integration/aws_world.h"
#include "log/testing/capture.h"
#include "model/labels.h"

namespace tenon::cloud {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using testing::some_claim;
using testing::some_class;
using testing::World;

std::string condition(const model::NodeClass& node_class, std::string_view type) {
  const auto* found = model::find_condition(node_class.conditions, type);
  return found == nullptr ? "none" : found->status + " " + found->reason;
}

TEST(AwsProvider, ResolvesANodeClass) {
  World world;
  const model::NodeClass node_class = world.ready_class(some_class());
  EXPECT_EQ(condition(node_class, "Ready"), "True Ready");
  EXPECT_EQ(node_class.subnets.size(), 4u);
  EXPECT_EQ(node_class.security_groups.size(), 1u);
  EXPECT_EQ(node_class.amis.size(), 5u);
  EXPECT_TRUE(node_class.resolved_instance_profile.starts_with("demo_"));
  // Nothing new: nothing changes, and there are few calls.
  const int templates = world.fake->calls("CreateLaunchTemplate");
  EXPECT_EQ(world.ready_class(node_class), node_class);
  EXPECT_EQ(world.fake->calls("CreateLaunchTemplate"), templates);
  EXPECT_EQ(world.running(), 0u);  // dry runs launch nothing
}

TEST(AwsProvider, SaysWhatANodeClassLacks) {
  World world;
  model::NodeClass node_class = some_class();
  node_class.subnet_selector_terms = {{.tags = {{"no", "such"}}}};
  node_class.security_group_selector_terms = {{.id = "sg-0"}};
  node_class.ami_selector_terms = {{.name = "nothing-*"}};
  node_class.ami_family = "AL2023";
  const model::NodeClass out = world.ready_class(node_class);
  EXPECT_EQ(condition(out, "SubnetsReady"), "False SubnetsNotFound");
  EXPECT_EQ(condition(out, "AMIsReady"), "False AMINotFound");
  EXPECT_THAT(condition(out, "SecurityGroupsReady"), HasSubstr("False SecurityGroups"));
  EXPECT_EQ(condition(out, "ValidationSucceeded"), "False DependenciesNotReady");
  EXPECT_EQ(condition(out, "Ready").substr(0, 5), "False");
  EXPECT_EQ(world.provider->instance_types(out, {}).error().code, Code::kConflict);
  model::NodeClass old = some_class();
  old.ami_selector_terms = {{.alias = "al2@latest"}};
  EXPECT_EQ(condition(world.ready_class(old), "AMIsReady"), "False UnsupportedAlias");
}

TEST(AwsProvider, ValidatesByTrying) {
  World world;
  for (const char* action : {"CreateLaunchTemplate", "CreateFleet", "RunInstances"}) {
    world.restart();
    world.faults = {{action, "UnauthorizedOperation"}};
    model::NodeClass node_class = some_class();
    node_class.user_data = action;  // another template each time
    EXPECT_EQ(condition(world.ready_class(node_class), "ValidationSucceeded"),
              "False " + std::string(action) + "AuthCheckFailed");
  }
  world.faults = {{"CreateFleet", "RequestLimitExceeded"}};
  // The last result is kept at first, and the error reported once there is no new result.
  const model::NodeClass partly = world.ready_class(some_class());
  EXPECT_EQ(condition(partly, "SubnetsReady"), "True SubnetsReady");
  EXPECT_EQ(condition(partly, "ValidationSucceeded"), "Unknown AwaitingReconciliation");
  EXPECT_EQ(world.provider->resolve(partly, {}, {}).error().code, Code::kThrottled);
  world.faults.clear();
  model::NodeClass large = some_class();
  large.ami_family = "Custom";
  large.ami_selector_terms = {{.name = "amazon-eks-node-al2023-*"}};
  large.user_data = std::string(16'385, 'x');
  EXPECT_EQ(condition(world.ready_class(large), "ValidationSucceeded"), "False UserDataSizeLimitExceeded");
  large.user_data.pop_back();
  EXPECT_EQ(condition(world.ready_class(large), "ValidationSucceeded"), "True ValidationSucceeded");
  world.restart({.cluster_name = "demo", .disable_dry_run = true});
  EXPECT_EQ(condition(world.ready_class(some_class()), "Ready"), "True Ready");
  model::NodeClass tagged = some_class();
  tagged.tags = {{"karpenter.sh/nodepool", "x"}};
  EXPECT_EQ(condition(world.ready_class(tagged), "ValidationSucceeded"), "False TagValidationFailed");
}

TEST(AwsProvider, LooksForNewerImagesOnceTheirsAreDeprecated) {
  World world;
  world.ready_class(some_class());
  const auto asked = [&] {
    const int before = world.fake->calls("GetParameter");
    world.ready_class(some_class());
    return world.fake->calls("GetParameter") - before;
  };
  world.runtime.advance(2min);
  EXPECT_EQ(asked(), 0);  // cached for a day
  world.runtime.advance(3 * 365 * 24h);
  EXPECT_EQ(asked(), 5);
  world.runtime.advance(2min);
  EXPECT_EQ(asked(), 5);  // they name deprecated images
  world.runtime.advance(2min);
  EXPECT_EQ(asked(), 0);  // still do: reading every half hour is enough
  world.runtime.advance(30min);
  asked();
  world.runtime.advance(2min);
  EXPECT_EQ(asked(), 5);
}

TEST(AwsProvider, NeedsTheClustersNetworkForAl2023) {
  World world;
  const auto options = [] {
    return AwsProviderOptions{.cluster_name = "demo",
                              .cluster_endpoint = "https://demo.test",
                              .cluster_ca_base64 = "Q0E=",
                              .kubernetes_version = [](const auto&) { return std::string("1.34"); }};
  };
  world.restart(options());
  world.faults = {{"DescribeCluster", "AccessDeniedException"}};
  const model::NodeClass out = world.ready_class(some_class());
  EXPECT_EQ(condition(out, "ValidationSucceeded"), "False ClusterCIDRResolutionFailed");
  EXPECT_EQ(model::find_condition(out.conditions, "ValidationSucceeded")->message, "Failed to detect the cluster CIDR");
  model::NodeClass other = some_class();
  other.meta.uid = "another";
  other.ami_selector_terms = {{.alias = "bottlerocket@latest"}};
  EXPECT_EQ(condition(world.ready_class(other), "Ready"), "True Ready");
}

TEST(AwsProvider, ShowsHowLargeUserDataIs) {
  World world;
  metrics::Registry registry;
  std::vector<std::string> said;
  world.restart({.cluster_name = "demo", .registry = &registry, .log = log::testing::messages_to(said)});
  model::NodeClass node_class = some_class();
  node_class.ami_family = "Custom";
  node_class.ami_selector_terms = {{.name = "amazon-eks-node-al2023-*"}};
  node_class.user_data = std::string(14'744, 'x');
  EXPECT_EQ(condition(world.ready_class(node_class), "Ready"), "True Ready");
  EXPECT_THAT(registry.text(), HasSubstr("karpenter_ec2nodeclasses_userdata_bytes{nodeclass=\"default\"} 14744\n"));
  EXPECT_TRUE(said.empty());
  node_class.user_data += "x";
  EXPECT_EQ(condition(world.ready_class(node_class), "Ready"), "True Ready");
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0], "EC2NodeClass default: its user data has 14745 of the 16384 bytes that EC2 takes");
  ASSERT_TRUE(world.provider->finalize(node_class, {}));
  EXPECT_THAT(registry.text(), Not(HasSubstr("userdata_bytes{")));
}

// The minimum counts, for the images of the node class; another set of images has values of its own.
TEST(AwsProvider, LearnsMemoryFromNodes) {
  World world;
  const model::NodeClass node_class = world.ready_class(some_class());
  const auto made = world.provider->create(some_claim("default-1", {"m5.large"}, "on-demand"), node_class, {}, {});
  ASSERT_TRUE(made);
  model::NodeClaim claim = some_claim("default-1", {"m5.large"}, "on-demand");
  claim.image_id = made->image_id;
  claim.meta.labels["node.kubernetes.io/instance-type"] = "m5.large";
  const auto memory_mib = [&](const model::NodeClass& of) {
    const auto types = world.provider->instance_types(of, {});
    const auto m5 =
        std::find_if((*types)->begin(), (*types)->end(), [](const auto& t) { return t.name == "m5.large"; });
    return m5->capacity.get("memory") >> 20;
  };
  const auto report = [&](int64_t mib) { world.provider->learn(claim, node_class, {{"memory", mib << 20}}); };
  EXPECT_EQ(memory_mib(node_class), 7577);
  const auto list = world.provider->known_types(node_class);
  report(7577);  // the formula's result
  EXPECT_EQ(*world.provider->known_types(node_class), *list) << "the same list, which is not built again";
  report(7570);
  EXPECT_EQ(memory_mib(node_class), 7570);
  world.runtime.advance(kLearnedFor - 1s);  // prices and types are loaded again here, not in the last second
  EXPECT_EQ(memory_mib(node_class), 7570);
  world.runtime.advance(1s);
  EXPECT_EQ(memory_mib(node_class), 7577) << "forgotten";
  report(7700);  // more than the formula gives
  EXPECT_EQ(memory_mib(node_class), 7700);
  report(7650);
  report(7690);
  EXPECT_EQ(memory_mib(node_class), 7650);
  model::NodeClass others = node_class;
  others.meta.name = "others";
  others.amis.pop_back();
  EXPECT_EQ(memory_mib(others), 7577);
  claim.image_id = "ami-of-the-past";
  report(7000);
  EXPECT_EQ(memory_mib(node_class), 7650);
  world.runtime.advance(kLearnedFor);
  EXPECT_EQ(memory_mib(node_class), 7577);
}

TEST(AwsProvider, CommitmentsAreUsedByWhatRuns) {
  World world;
  const auto file = catalog::parse_price_file(
      "commitments: [{kind: ReservedInstance, instanceType: m5.large, zone: us-east-1a, count: 1}]");
  world.restart({.cluster_name = "demo", .price_file = *file});
  const model::NodeClass node_class = world.ready_class(some_class());
  const auto price = [&] {
    const auto types = world.provider->instance_types(node_class, {});
    for (const model::InstanceType& type : **types) {
      if (type.name != "m5.large") continue;
      for (const model::Offering& o : type.offerings) {
        if (o.zone == "us-east-1a" && o.capacity_type == "on-demand")
          return model::format_usd(o.price) + " " + model::format_usd(o.saved.value_or(o.price));
      }
    }
    return std::string("none");
  };
  EXPECT_EQ(price(), "0.0000000096 0.096");
  const auto made =
      world.provider->create(some_claim("default-1", {"m5.large", "m5.xlarge"}, "on-demand"), node_class, {}, {});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->zone, "us-east-1a");
  EXPECT_EQ(price(), "0.096 0");
  world.restart({.cluster_name = "demo", .price_file = *file});  // reads running instances before it computes prices
  EXPECT_EQ(price(), "0.096 0");
  world.runtime.advance(5s);
  ASSERT_TRUE(world.provider->remove(made->provider_id, {}));
  EXPECT_EQ(price(), "0.0000000096 0.096");
}

TEST(AwsProvider, ListsInstanceTypesWithPrices) {
  World world;
  const model::NodeClass node_class = world.ready_class(some_class());
  const auto types = world.provider->instance_types(node_class, {});
  ASSERT_TRUE(types) << types.error().message;
  EXPECT_GE((*types)->size(), 120u);
  const auto m5 = std::find_if((*types)->begin(), (*types)->end(), [](const auto& t) { return t.name == "m5.large"; });
  ASSERT_NE(m5, (*types)->end());
  EXPECT_EQ(m5->offerings.size(), 8u);
  EXPECT_EQ(m5->allocatable().get("cpu"), 1930);
  EXPECT_EQ(m5->allocatable().get("memory"), int64_t{6903} << 20);
  std::map<std::string, std::string> prices;
  for (const model::Offering& o : m5->offerings) {
    EXPECT_TRUE(o.available);
    EXPECT_FALSE(o.zone_id.empty());
    prices[o.capacity_type + " " + o.zone] = model::format_usd(o.price);
  }
  EXPECT_EQ(prices["on-demand us-east-1a"], "0.096");
  EXPECT_EQ(prices["spot us-east-1d"], "0.0288");
  EXPECT_EQ(*world.provider->instance_types(node_class, {}), *types);  // the same list, not a copy
}

TEST(AwsProvider, LaunchesSpotWhereItIsCheapest) {
  World world;
  const model::NodeClass node_class = world.ready_class(some_class());
  const auto claim = some_claim("default-1", {"m5.large", "m5.xlarge"}, "spot");
  const auto made = world.provider->create(claim, node_class, {}, {});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->instance_type, "m5.large");
  EXPECT_EQ(made->zone, "us-east-1d");
  EXPECT_EQ(made->labels.at("karpenter.sh/capacity-type"), "spot");
  EXPECT_EQ(made->labels.at("topology.kubernetes.io/region"), "us-east-1");
  EXPECT_EQ(made->capacity.get("pods"), 29);
  EXPECT_EQ(made->annotations.at(std::string(model::kAnnotationNodeClassHash)), world.provider->hash(node_class));
  const auto instance = world.instance(made->provider_id);
  EXPECT_EQ(instance.capacity_type, "spot");
  EXPECT_EQ(instance.tags.at("karpenter.sh/nodepool"), "default");
  EXPECT_EQ(instance.tags.at("karpenter.sh/nodeclaim"), "default-1");
  EXPECT_EQ(instance.tags.at("kubernetes.io/cluster/demo"), "owned");
  EXPECT_EQ(instance.tags.at("team"), "a");
  EXPECT_THAT(instance.user_data, HasSubstr("maxPods: 29"));
  EXPECT_THAT(instance.user_data, HasSubstr("type=karpenter"));
  EXPECT_THAT(instance.user_data, HasSubstr("key: dedicated"));
  EXPECT_THAT(instance.user_data, HasSubstr("key: karpenter.sh/unregistered"));
  EXPECT_THAT(instance.user_data, HasSubstr("apiServerEndpoint: https://demo.test"));
  EXPECT_EQ(made->image_id, instance.image_id);
}

TEST(AwsProvider, EveryFamilyLaunches) {
  for (const std::string alias :
       {"al2023@latest", "bottlerocket@latest", "al2@latest", "windows2019@latest", "windows2022@latest"}) {
    World world;
    world.restart({.cluster_name = "demo", .kubernetes_version = [alias](const auto&) {
                     return std::string(alias.starts_with("al2@") ? "1.32" : "1.34");
                   }});
    model::NodeClass node_class = some_class();
    node_class.ami_selector_terms = {{.alias = alias}};
    node_class = world.ready_class(node_class);
    if (!node_class.ready()) {
      ADD_FAILURE() << alias << ": " << condition(node_class, "AMIsReady");
      continue;
    }
    for (const std::string type : {"m5.large", "m6g.large", "g4dn.xlarge"}) {
      if (alias.starts_with("windows") && type == "m6g.large") continue;  // there is no Windows for arm64
      const auto made = world.provider->create(some_claim(type, {type}, "on-demand"), node_class, {}, {});
      ASSERT_TRUE(made) << alias << " " << type << ": " << made.error().message;
      EXPECT_THAT(world.instance(made->provider_id).user_data, HasSubstr("demo"));
    }
  }
}

TEST(AwsProvider, NeverBuysTwiceForAClaim) {
  World world;
  const model::NodeClass node_class = world.ready_class(some_class());
  const auto claim = some_claim("default-1", {"m5.large", "c5.large"}, "on-demand");
  const auto first = world.provider->create(claim, node_class, {}, {});
  ASSERT_TRUE(first);
  const auto again = world.provider->create(claim, node_class, {}, {});
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->provider_id, first->provider_id);
  // After a crash, with other prices, so that the request differs.
  world.fake->scale_price("m5.large", 0.1);
  world.restart();
  const auto recovered = world.provider->create(claim, node_class, {}, {});
  ASSERT_TRUE(recovered) << recovered.error().message;
  EXPECT_EQ(recovered->provider_id, first->provider_id);
  EXPECT_EQ(recovered->instance_type, first->instance_type);
  EXPECT_EQ(world.running(), 1u);
}

TEST(AwsProvider, LearnsWhichOfferingsAreGone) {
  World world;
  std::vector<std::string> said;
  world.restart({.cluster_name = "demo", .log = log::testing::messages_to(said)});
  const model::NodeClass node_class = world.ready_class(some_class());
  for (const char* zone : {"us-east-1a", "us-east-1b", "us-east-1c", "us-east-1d"}) {
    world.faults["CreateFleet/m5.large/" + std::string(zone) + "/spot"] = "InsufficientInstanceCapacity";
  }
  const auto other =
      world.provider->create(some_claim("default-1", {"m5.large", "m5.xlarge"}, "spot"), node_class, {}, {});
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_EQ(other->instance_type, "m5.xlarge");
  EXPECT_THAT(said,
              ::testing::ElementsAre("EC2 has no spot m5.large in us-east-1a, m5.large in us-east-1b, m5.large in "
                                     "us-east-1c, m5.large in us-east-1d, which is not asked for again for 3m0s: "
                                     "InsufficientInstanceCapacity"));
  const auto claim = some_claim("default-2", {"m5.large"}, "spot");
  const auto none = world.provider->create(claim, node_class, {}, {});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::kInsufficientCapacity);
  const auto available = [&] {
    const auto types = *world.provider->instance_types(node_class, {});
    int count = 0;
    for (const auto& type : *types) {
      if (type.name != "m5.large") continue;
      for (const auto& o : type.offerings) count += o.available ? 1 : 0;
    }
    return count;
  };
  EXPECT_EQ(available(), 4);  // on-demand only
  const int asked = world.fake->calls("CreateFleet");
  EXPECT_FALSE(world.provider->create(claim, node_class, {}, {}));
  EXPECT_EQ(world.fake->calls("CreateFleet"), asked);  // not called again while it is cached
  world.faults.clear();
  world.runtime.advance(kUnavailableFor);
  EXPECT_EQ(available(), 8);
  EXPECT_TRUE(world.provider->create(claim, node_class, {}, {}));
}

TEST(AwsProvider, MakesALostTemplateAnew) {
  World world;
  const model::NodeClass node_class = world.ready_class(some_class());
  ASSERT_TRUE(world.provider->create(some_claim("default-1", {"m5.large"}, "on-demand"), node_class, {}, {}));
  aws::Ec2 ec2(*world.client);
  const auto templates = ec2.describe_launch_templates({}, {});
  ASSERT_TRUE(templates);
  for (const auto& found : *templates) {
    ASSERT_TRUE(ec2.delete_launch_template(found.id, {}));
  }
  const auto made = world.provider->create(some_claim("default-2", {"m5.large"}, "on-demand"), node_class, {}, {});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(world.running(), 2u);
}

TEST(AwsProvider, TellsOfANarrowFallback) {
  World world;
  std::vector<std::string> said;
  world.restart({.cluster_name = "demo", .log = log::testing::messages_to(said)});
  const model::NodeClass node_class = world.ready_class(some_class());
  world.faults["CreateFleet/m5.large/us-east-1a/spot"] = "AuthFailure.ServiceLinkedRoleCreationNotPermitted";
  model::NodeClaim claim = some_claim("default-1", {"m5.large"}, "spot");
  claim.requirements.push_back({std::string(model::kLabelZone), model::Operator::kIn, {"us-east-1a"}, {}});
  EXPECT_FALSE(world.provider->create(claim, node_class, {}, {}));  // now no spot offering is available
  EXPECT_TRUE(said.empty());
  claim.requirements[1].values = {"spot", "on-demand"};
  EXPECT_EQ(world.provider->create(claim, node_class, {}, {})->capacity_type, "on-demand");
  EXPECT_THAT(said, ::testing::ElementsAre(HasSubstr("nodeclaim/default-1: at least 5 instance types")));
}

TEST(AwsProvider, SurvivesThrottling) {
  World world;
  const model::NodeClass node_class = world.ready_class(some_class());
  world.faults["CreateFleet"] = "RequestLimitExceeded";
  const auto claim = some_claim("default-1", {"m5.large"}, "on-demand");
  const auto throttled = world.provider->create(claim, node_class, {}, {});
  ASSERT_FALSE(throttled);
  EXPECT_EQ(throttled.error().code, Code::kThrottled);
  world.faults.clear();
  EXPECT_TRUE(world.provider->create(claim, node_class, {}, {}));
}

TEST(AwsProvider, RefusesAClassThatIsNotReady) {
  World world;
  const auto claim = some_claim("default-1", {"m5.large"}, "on-demand");
  EXPECT_EQ(world.provider->create(claim, some_class(), {}, {}).error().code, Code::kUnavailable);
  model::NodeClass node_class = world.ready_class(some_class());
  node_class.meta.generation = 2;
  EXPECT_THAT(world.provider->create(claim, node_class, {}, {}).error().message, HasSubstr("against the latest spec"));
  node_class.meta.generation = 1;
  node_class.meta.deleted_at = world.runtime.now();
  EXPECT_EQ(world.provider->create(claim, node_class, {}, {}).error().code, Code::kConflict);
}

TEST(AwsProvider, ListsGetsAndRemoves) {
  World world;
  const model::NodeClass node_class = world.ready_class(some_class());
  const auto a = world.provider->create(some_claim("default-1", {"m5.large"}, "spot"), node_class, {}, {});
  const auto b = world.provider->create(some_claim("default-2", {"c5.large"}, "on-demand"), node_class, {}, {});
  ASSERT_TRUE(a && b);
  const auto list = world.provider->list({});
  ASSERT_TRUE(list);
  ASSERT_EQ(list->size(), 2u);
  const auto got = world.provider->get(a->provider_id, {});
  ASSERT_TRUE(got);
  EXPECT_EQ(got->claim_name, "default-1");
  EXPECT_EQ(got->pool, "default");
  EXPECT_EQ(got->cluster, "demo");
  EXPECT_EQ(got->capacity_type, "spot");
  EXPECT_FALSE(got->deleting);
  world.runtime.advance(5s);
  ASSERT_TRUE(world.provider->remove(a->provider_id, {}));
  EXPECT_TRUE(world.provider->get(a->provider_id, {})->deleting);
  ASSERT_TRUE(world.provider->remove(a->provider_id, {}));  // in progress
  EXPECT_EQ(world.fake->calls("TerminateInstances"), 1);
  world.runtime.advance(5s);
  EXPECT_EQ(world.provider->remove(a->provider_id, {}).error().code, Code::kNotFound);
  EXPECT_EQ(world.provider->get(a->provider_id, {}).error().code, Code::kNotFound);
  EXPECT_EQ(world.provider->list({})->size(), 1u);
  EXPECT_EQ(world.provider->get("kwok://x", {}).error().code, Code::kInvalid);
}

TEST(AwsProvider, NoticesDrift) {
  World world;
  model::NodeClass node_class = world.ready_class(some_class());
  model::NodeClaim claim = some_claim("default-1", {"m5.large"}, "on-demand");
  const auto made = world.provider->create(claim, node_class, {}, {});
  ASSERT_TRUE(made);
  claim.provider_id = made->provider_id;
  claim.meta.annotations = made->annotations;
  EXPECT_EQ(*world.provider->drifted(claim, node_class, {}), "");
  model::NodeClass other = node_class;
  other.tags["team"] = "b";
  EXPECT_EQ(*world.provider->drifted(claim, other, {}), "NodeClassDrift");
  other = node_class;
  std::erase_if(other.amis, [&](const auto& ami) { return ami.id == made->image_id; });
  EXPECT_EQ(*world.provider->drifted(claim, other, {}), "AMIDrift");
  other = node_class;
  other.security_groups.push_back({"sg-new", ""});
  EXPECT_EQ(*world.provider->drifted(claim, other, {}), "SecurityGroupDrift");
  other = node_class;
  std::erase_if(other.subnets, [&](const auto& subnet) { return subnet.zone == made->zone; });
  EXPECT_EQ(*world.provider->drifted(claim, other, {}), "SubnetDrift");
}

TEST(AwsProvider, CleansUpAfterANodeClass) {
  World world;
  const model::NodeClass node_class = world.ready_class(some_class());
  ASSERT_TRUE(world.provider->create(some_claim("default-1", {"m5.large"}, "on-demand"), node_class, {}, {}));
  aws::Ec2 ec2(*world.client);
  aws::Iam iam(*world.client);
  EXPECT_FALSE(ec2.describe_launch_templates({}, {})->empty());
  EXPECT_TRUE(iam.get_instance_profile(node_class.resolved_instance_profile, {}));
  const std::string old = "demo_15843455441266977890";  // of Karpenter before its API v1
  ASSERT_TRUE(iam.create_instance_profile({old, "/", {}}, {}));
  ASSERT_TRUE(iam.add_role(old, "KarpenterNodeRole-demo", {}));
  ASSERT_TRUE(world.provider->finalize(node_class, {}));
  EXPECT_TRUE(ec2.describe_launch_templates({}, {})->empty());
  EXPECT_EQ(iam.get_instance_profile(node_class.resolved_instance_profile, {}).error().code, Code::kNotFound);
  EXPECT_EQ(iam.get_instance_profile(old, {}).error().code, Code::kNotFound);
  EXPECT_TRUE(world.provider->finalize(node_class, {}));  // repeatable
}

TEST(AwsProvider, DropsIdleTemplates) {
  World world;
  model::NodeClass node_class = world.ready_class(some_class());
  const auto templates = [&world] { return aws::Ec2(*world.client).describe_launch_templates({}, {})->size(); };
  ASSERT_TRUE(world.provider->create(some_claim("default-1", {"m5.large"}, "on-demand"), node_class, {}, {}));
  EXPECT_EQ(templates(), 2u);  // of the validation and of the launch
  world.runtime.advance(2h);
  ASSERT_TRUE(world.provider->create(some_claim("default-2", {"m5.large"}, "on-demand"), node_class, {}, {}));
  world.ready_class(node_class);
  EXPECT_EQ(templates(), 2u);  // both in use: the node class was validated again
  world.runtime.advance(61min);
  ASSERT_TRUE(world.provider->create(some_claim("default-3", {"m5.large"}, "on-demand"), node_class, {}, {}));
  world.restart({.cluster_name = "demo", .disable_dry_run = true});
  world.ready_class(node_class);
  world.runtime.advance(30min);
  ASSERT_TRUE(world.provider->create(some_claim("default-4", {"m5.large"}, "on-demand"), node_class, {}, {}));
  world.runtime.advance(31min);
  world.ready_class(node_class);
  EXPECT_EQ(templates(), 1u);
}

TEST(AwsProvider, TheWrongSecretIsNamed) {
  World world;
  world.credentials = aws::make_static_credentials({"AKIDEXAMPLE", "wrong", ""});
  world.restart();
  const model::NodeClass out = world.ready_class(some_class());
  EXPECT_EQ(condition(out, "SubnetsReady"), "False SubnetsResolutionFailed");
  const auto* found = model::find_condition(out.conditions, "SubnetsReady");
  EXPECT_THAT(found->message, HasSubstr("ec2 DescribeSubnets: "));
  EXPECT_THAT(found->message, Not(HasSubstr("wrong")));
}

}  // namespace
}  // namespace tenon::cloud
