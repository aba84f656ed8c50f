// What every cloud::Provider does, whatever the cloud: on the double in memory (cloud/testing/memory_provider.h) and on
// the AWS provider against the wire-level AWS of the embedded cluster. A controller that is tested on the double relies
// on nothing else.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "aws/testing/canned.h"
#include "cloud/testing/memory_provider.h"
#include "integration/aws_world.h"

namespace tenon::cloud {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A provider, and its cloud as others see it.
class Cloud {
 public:
  virtual ~Cloud() = default;
  virtual Provider& provider() = 0;
  virtual void advance(Duration span) = 0;
  virtual void end_by_others(const std::string& provider_id) = 0;
};

class InMemory final : public Cloud {
 public:
  InMemory() {
    for (const auto& [name, cpu, price] :
         {std::tuple("c5.large", 2000, "0.085"), std::tuple("m5.large", 2000, "0.096")}) {
      model::InstanceType type;
      type.name = name;
      type.labels = {{std::string(model::kLabelInstanceType), {name}}};
      type.capacity = {{"cpu", cpu}, {"memory", int64_t{4} << 30}, {"pods", 29}};
      for (const char* zone : {"us-east-1a", "us-east-1b"}) {
        for (const char* capacity_type : {"on-demand", "spot"})
          type.offerings.push_back({.zone = zone, .capacity_type = capacity_type, .price = *model::parse_price(price)});
      }
      provider_.types.push_back(type);
    }
  }
  Provider& provider() override { return provider_; }
  void advance(Duration span) override { runtime_.advance(span); }
  void end_by_others(const std::string& provider_id) override { provider_.end(provider_id); }

 private:
  aws::testing::ManualRuntime runtime_;
  testing::MemoryProvider provider_{runtime_};
};

class EmbeddedAws final : public Cloud {
 public:
  Provider& provider() override { return *world_.provider; }
  void advance(Duration span) override { world_.runtime.advance(span); }
  void end_by_others(const std::string& provider_id) override {
    ASSERT_TRUE(world_.fake->reclaim(provider_id.substr(provider_id.rfind('/') + 1)));
    advance(1min);
  }

 private:
  testing::World world_;
};

struct Kind {
  const char* name;
  std::function<std::unique_ptr<Cloud>()> make;
};
void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

class Providers : public ::testing::TestWithParam<Kind> {
 protected:
  model::NodeClass ready() {
    const auto resolved = provider().resolve(testing::some_class(), {}, {});
    EXPECT_TRUE(resolved);
    return resolved ? *resolved : model::NodeClass();
  }
  Provider& provider() { return cloud_->provider(); }
  // Returns the claim as it is once it has recorded its launch.
  model::NodeClaim launched(model::NodeClaim claim) {
    const auto instance = provider().create(claim, ready(), nullptr, {});
    EXPECT_TRUE(instance) << instance.error().message;
    if (!instance) return claim;
    claim.provider_id = instance->provider_id;
    claim.image_id = instance->image_id;
    for (const auto& [key, value] : instance->labels) claim.meta.labels[key] = value;
    for (const auto& [key, value] : instance->annotations) claim.meta.annotations[key] = value;
    claim.node_name = "node-of-" + claim.meta.name;
    return claim;
  }
  static model::NodeClaim claim(const std::string& name, const std::string& capacity_type = "on-demand") {
    return testing::some_claim(name, {"c5.large", "m5.large"}, capacity_type);
  }
  std::vector<std::string> living() {
    const auto listed = provider().list({});
    EXPECT_TRUE(listed);
    std::vector<std::string> ids;
    for (const Instance& instance : *listed) {
      if (!instance.deleting) ids.push_back(instance.provider_id);
    }
    std::sort(ids.begin(), ids.end());
    return ids;
  }

  const std::unique_ptr<Cloud> cloud_ = GetParam().make();
};

INSTANTIATE_TEST_SUITE_P(All, Providers,
                         ::testing::Values(Kind{"InMemory", [] { return std::make_unique<InMemory>(); }},
                                           Kind{"EmbeddedAws", [] { return std::make_unique<EmbeddedAws>(); }}),
                         [](const auto& param) { return std::string(param.param.name); });

TEST_P(Providers, ManageNodeClassesOfOneKind) {
  EXPECT_TRUE(provider().manages({"karpenter.k8s.aws", "EC2NodeClass", "any"}));
  EXPECT_FALSE(provider().manages({"karpenter.azure.com", "AKSNodeClass", "any"}));
}

TEST_P(Providers, ResolveAClassOnce) {
  const model::NodeClass first = ready();
  EXPECT_TRUE(first.ready());
  const auto second = provider().resolve(first, {}, {});
  ASSERT_TRUE(second);
  EXPECT_EQ(*second, first) << "nothing is written without a change";
}

TEST_P(Providers, CacheTypesOnceTheyAreRead) {
  const model::NodeClass node_class = ready();
  const auto read = provider().instance_types(node_class, {});
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_FALSE((*read)->empty());
  const auto cached = provider().known_types(node_class);
  ASSERT_TRUE(cached);
  EXPECT_EQ(**cached, **read);
  EXPECT_TRUE(
      std::is_sorted((*read)->begin(), (*read)->end(), [](const auto& a, const auto& b) { return a.name < b.name; }));
}

TEST_P(Providers, RejectAClassThatIsNotReady) {
  model::NodeClass node_class = ready();
  for (model::Condition& condition : node_class.conditions) {
    if (condition.type == "Ready") condition.status = "False";
  }
  EXPECT_EQ(provider().instance_types(node_class, {}).error().code, Code::kConflict);
  EXPECT_EQ(provider().known_types(node_class).error().code, Code::kConflict);
  EXPECT_EQ(provider().create(claim("a"), node_class, nullptr, {}).error().code, Code::kConflict);
  node_class.conditions.clear();
  EXPECT_EQ(provider().known_types(node_class).error().code, Code::kUnavailable);
  EXPECT_THAT(living(), IsEmpty());
}

TEST_P(Providers, LaunchTheLowestPriceAndDescribeTheInstance) {
  const model::NodeClaim a = launched(claim("a"));
  EXPECT_EQ(a.meta.labels.at(std::string(model::kLabelInstanceType)), "c5.large");
  EXPECT_EQ(a.meta.labels.at(std::string(model::kLabelCapacityType)), "on-demand");
  EXPECT_THAT(living(), ElementsAre(a.provider_id));
  const Instance listed = provider().list({})->front();
  EXPECT_EQ(listed.claim_name, "a");
  EXPECT_EQ(listed.pool, "default");
  const auto described = provider().get(a.provider_id, {});
  ASSERT_TRUE(described);
  EXPECT_EQ(described->instance_type, "c5.large");
  EXPECT_EQ(described->zone, a.meta.labels.at(std::string(model::kLabelZone)));
  EXPECT_THAT(described->provider_id, ::testing::StartsWith("aws:///" + described->zone + "/i-"));
  EXPECT_TRUE(provider().before_registration(a, ready(), {}).pending.empty());
}

TEST_P(Providers, LaunchAClaimOnce) {
  const model::NodeClaim a = launched(claim("a")), again = launched(claim("a"));
  EXPECT_EQ(a.provider_id, again.provider_id);
  EXPECT_EQ(living().size(), 1u);
}

TEST_P(Providers, LaunchOnlyWhatTheClaimAllows) {
  model::NodeClaim impossible = claim("a");
  impossible.requirements.push_back({std::string(model::kLabelZone), model::Operator::kIn, {"nowhere-1a"}, {}});
  const auto none = provider().create(impossible, ready(), nullptr, {});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::kInsufficientCapacity);
  EXPECT_FALSE(provider().launch_failure(none.error()).empty());
  EXPECT_THAT(living(), IsEmpty());
}

TEST_P(Providers, LaunchFromTheTypesOfThePool) {
  const model::NodeClass node_class = ready();
  auto types = **provider().instance_types(node_class, {});
  std::erase_if(types, [](const auto& type) { return type.name != "m5.large"; });
  const auto instance = provider().create(
      claim("a"), node_class, std::make_shared<const std::vector<model::InstanceType>>(std::move(types)), {});
  ASSERT_TRUE(instance) << instance.error().message;
  EXPECT_EQ(instance->instance_type, "m5.large");
}

TEST_P(Providers, TerminateUntilTheInstanceIsUnknown) {
  const model::NodeClaim a = launched(claim("a")), b = launched(claim("b"));
  ASSERT_TRUE(provider().remove(a.provider_id, {}));
  EXPECT_THAT(living(), ElementsAre(b.provider_id));
  cloud_->advance(10min);
  EXPECT_EQ(provider().remove(a.provider_id, {}).error().code, Code::kNotFound);
  EXPECT_EQ(provider().get(a.provider_id, {}).error().code, Code::kNotFound);
  EXPECT_EQ(provider().name_instance(a, {}).error().code, Code::kNotFound);
  EXPECT_TRUE(provider().get(b.provider_id, {}));
}

TEST_P(Providers, TagAnInstanceOnce) {
  const model::NodeClaim a = launched(claim("a"));
  const auto first = provider().name_instance(a, {}), second = provider().name_instance(a, {});
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(*first);
  EXPECT_FALSE(*second);
}

TEST_P(Providers, AvoidAnOfferingThatWasTakenBack) {
  const model::NodeClaim a = launched(claim("a", "spot"));
  const auto available = [&] {
    const auto types = provider().known_types(ready());
    for (const model::InstanceType& type : **types) {
      if (type.name != a.meta.labels.at(std::string(model::kLabelInstanceType))) continue;
      for (const model::Offering& offering : type.offerings) {
        if (offering.zone == a.meta.labels.at(std::string(model::kLabelZone)) && offering.capacity_type == "spot")
          return offering.available;
      }
    }
    return false;
  };
  ASSERT_TRUE(provider().instance_types(ready(), {}));
  EXPECT_TRUE(available());
  provider().taken_back(a);
  EXPECT_FALSE(available());
  const model::NodeClaim b = launched(claim("b", "spot"));
  const auto where = [](const model::NodeClaim& c) {
    return c.meta.labels.at(std::string(model::kLabelInstanceType)) + c.meta.labels.at(std::string(model::kLabelZone));
  };
  EXPECT_NE(where(b), where(a));
  cloud_->advance(1h);
  EXPECT_TRUE(available());
}

TEST_P(Providers, ReportInstancesThatOthersEnded) {
  const model::NodeClaim lost = launched(claim("lost")), announced = launched(claim("announced")),
                         ours = launched(claim("ours"));
  EXPECT_EQ(living().size(), 3u);
  EXPECT_THAT(provider().take_lost(), IsEmpty());
  provider().end_announced(announced);
  cloud_->end_by_others(lost.provider_id);
  cloud_->end_by_others(announced.provider_id);
  ASSERT_TRUE(provider().remove(ours.provider_id, {}));
  cloud_->advance(1min);
  EXPECT_THAT(living(), IsEmpty());
  EXPECT_THAT(provider().take_lost(), ElementsAre("default"));
  EXPECT_THAT(living(), IsEmpty());
  EXPECT_THAT(provider().take_lost(), IsEmpty()) << "once";
}

TEST_P(Providers, CompareAnInstanceWithItsClass) {
  const model::NodeClass node_class = ready();
  const model::NodeClaim a = launched(claim("a"));
  const auto same = provider().drifted(a, node_class, {});
  ASSERT_TRUE(same) << same.error().message;
  EXPECT_EQ(*same, "");
  model::NodeClass changed = testing::some_class();
  changed.tags["team"] = "b";
  EXPECT_EQ(provider().hash(node_class), provider().hash(testing::some_class())) << "the status does not count";
  EXPECT_NE(provider().hash(changed), provider().hash(node_class));
  EXPECT_FALSE(provider().hash_version().empty());
  changed = *provider().resolve(changed, {}, {});
  EXPECT_EQ(*provider().drifted(a, changed, {}), "NodeClassDrift");
}

TEST_P(Providers, FinalizeAClassMoreThanOnce) {
  const model::NodeClass node_class = ready();
  EXPECT_TRUE(provider().finalize(node_class, {}));
  EXPECT_TRUE(provider().finalize(node_class, {}));
}

}  // namespace
}  // namespace tenon::cloud
