// Equal claims are launched together: by few calls, and never twice, whichever answers between EC2 and us are lost.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "cloud/launch_batch.h"
#include "integration/aws_world.h"
#include "runtime/sim.h"

namespace tenon::cloud {
namespace {

// Performs every request; from CreateFleet on no answer is delivered.
class LostAnswers : public http::Transport {
 public:
  explicit LostAnswers(http::Transport& below) : below_(below) {}
  Result<http::Response> send(const http::Request& request, const std::stop_token& stop) override {
    auto answer = below_.send(request, stop);
    ++sent;
    lost_ |= losing && request.body.find("Action=CreateFleet") != std::string::npos;
    if (lost_) return fail(Code::kUnavailable, "connection lost");
    return answer;
  }
  Status stream(const http::Request& request, http::StreamSink& sink, const std::stop_token& stop) override {
    return below_.stream(request, sink, stop);
  }
  bool losing = false;
  int sent = 0;  // calls of AWS, of any service

 private:
  http::Transport& below_;
  bool lost_ = false;
};

// AWS and a process of ours that calls it from many threads, in virtual time.
struct BatchWorld {
  BatchWorld() { restart(); }

  static awssim::FakeAwsOptions options() {
    awssim::FakeAwsOptions o;
    o.cluster_endpoint = "https://demo.test";
    o.cluster_ca_pem = "PEM";
    o.check_signatures = false;
    return o;
  }
  void restart() {
    provider.reset();
    wire = std::make_unique<LostAnswers>(*transport);
    client = std::make_unique<aws::Client>(
        aws::Client::Context{*wire, *sim, *credentials},
        aws::Client::Options{.region = "us-east-1", .environment = [](const std::string& name) {
                               return name == "AWS_ENDPOINT_URL" ? "http://aws.test" : std::string();
                             }});
    provider = make_aws_provider(*client, {.cluster_name = "demo"});
    auto resolved = provider->resolve(testing::some_class(), {}, {});
    ASSERT_TRUE(resolved) << resolved.error().message;
    node_class = *resolved;
  }
  // Claims number `from` to `to` of one pass, marked as the provisioner does, request an instance at the same time.
  void launch(int from, int to, int of) {
    std::vector<std::unique_ptr<runtime::Task>> tasks;
    int done = 0;
    for (int i = from; i < to; ++i) {
      model::NodeClaim claim = testing::some_claim("default-" + std::to_string(i), {"m5.large"}, "on-demand");
      const int batch = i / kMaxLaunchBatch;
      const LaunchBatch mark{"7-" + std::to_string(batch), i % kMaxLaunchBatch,
                             std::min(kMaxLaunchBatch, of - batch * kMaxLaunchBatch)};
      claim.meta.annotations[std::string(kAnnotationLaunchBatch)] = format_launch_batch(mark);
      tasks.push_back(sim->spawn("launch", [this, claim, i, &done](const std::stop_token& stop) {
        answers.insert_or_assign(i, provider->create(claim, node_class, nullptr, stop));
        ++done;
      }));
    }
    ASSERT_TRUE(sim->run_until([&] { return done == to - from; }, 10min));
  }
  // The instances of the claims, each once; no other instance is running.
  std::set<std::string> given() const {
    std::set<std::string> ids;
    for (const auto& [number, answer] : answers) {
      if (answer) ids.insert(answer->provider_id.substr(answer->provider_id.rfind('/') + 1));
    }
    return ids;
  }
  size_t living() const {
    const auto all = fake->instances();
    return static_cast<size_t>(std::count_if(
        all.begin(), all.end(), [](const auto& i) { return i.state == "pending" || i.state == "running"; }));
  }
  std::unique_ptr<runtime::SimRuntime> sim = runtime::make_sim_runtime({});
  std::unique_ptr<awssim::FakeAws> fake = awssim::make_fake_aws(*sim, options());
  std::unique_ptr<http::Transport> transport = http::make_loopback_transport({{"aws.test", fake.get()}});
  std::unique_ptr<LostAnswers> wire;
  std::unique_ptr<aws::CredentialsProvider> credentials = aws::make_static_credentials({"AKIDEXAMPLE", "secret", ""});
  std::unique_ptr<aws::Client> client;
  std::unique_ptr<Provider> provider;
  model::NodeClass node_class;
  std::map<int, Result<Instance>> answers;
};

constexpr int kMany = 1000;
constexpr int kMostFleets = 20;

TEST(LaunchBatches, AThousandClaimsTakeFewCalls) {
  BatchWorld world;
  const int fleets = world.fake->calls("CreateFleet");  // dry runs of the node class's validation
  const int before = world.wire->sent;
  world.launch(0, kMany, kMany);
  EXPECT_EQ(world.given().size(), static_cast<size_t>(kMany));
  EXPECT_EQ(world.living(), static_cast<size_t>(kMany));
  EXPECT_LE(world.fake->calls("CreateFleet") - fleets, kMostFleets);
  EXPECT_LE(world.wire->sent - before, 2 * kMostFleets) << "0.04 calls for each node, whatever their kind";
  for (const auto& [number, answer] : world.answers) {
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->claim_name, "default-" + std::to_string(number));
  }
}

// Before their Nodes register, only the tag of the batch names the claims of the instances.
TEST(LaunchBatches, ListedInstancesNameTheirBatch) {
  BatchWorld world;
  world.launch(0, 3, 3);
  std::optional<Result<std::vector<Instance>>> listed;
  const auto task = world.sim->spawn("list", [&](const std::stop_token& stop) { listed = world.provider->list(stop); });
  ASSERT_TRUE(world.sim->run_until([&] { return listed.has_value(); }, 1min));
  ASSERT_TRUE(*listed);
  EXPECT_EQ((*listed)->size(), 3u);
  for (const Instance& instance : **listed) {
    EXPECT_EQ(instance.launch_batch, "7-0");
    EXPECT_EQ(instance.claim_name, "");
  }
}

// All other data come from the node class; the remaining calls are the launch itself.
TEST(LaunchBatches, OneClaimTakesThreeCallsAndTheNextOfItsKindOne) {
  BatchWorld world;
  const auto calls_of = [&](const std::string& name) {
    const int before = world.wire->sent;
    const auto made =
        world.provider->create(testing::some_claim(name, {"m5.large"}, "on-demand"), world.node_class, nullptr, {});
    EXPECT_TRUE(made) << made.error().message;
    return world.wire->sent - before;
  };
  calls_of("of-the-market");  // types, zones and prices are read once in twelve hours
  world.node_class.user_data = "#!/bin/sh";
  EXPECT_EQ(calls_of("first"), 3) << "is the template there, it is made, the Fleet";
  EXPECT_EQ(calls_of("second"), 1) << "the Fleet";
}

TEST(LaunchBatches, ALostAnswerBuysNothingTwice) {
  BatchWorld world;
  world.wire->losing = true;
  world.launch(0, 5, 5);
  EXPECT_TRUE(world.given().empty());
  EXPECT_EQ(world.living(), 5u) << "bought, and nobody knows";
  world.restart();
  world.launch(0, 5, 5);
  EXPECT_EQ(world.given().size(), 5u);
  EXPECT_EQ(world.living(), 5u);
}

TEST(LaunchBatches, ACrashAfterSomeClaimsWereWrittenBuysNothingTwice) {
  BatchWorld world;
  world.launch(0, 5, 5);
  const auto first = world.answers;
  ASSERT_EQ(world.given().size(), 5u);
  world.answers.clear();
  world.restart();
  world.launch(2, 5, 5);  // claims 0 and 1 have their instances; the others repeat the request
  for (int i = 2; i < 5; ++i) {
    ASSERT_TRUE(world.answers.at(i)) << world.answers.at(i).error().message;
    EXPECT_EQ(world.answers.at(i)->provider_id, first.at(i)->provider_id) << i;
  }
  EXPECT_EQ(world.living(), 5u);
}

TEST(LaunchBatches, AMemberThatNeverComesIsNotBoughtFor) {
  BatchWorld world;
  world.launch(0, 4, 5);
  EXPECT_EQ(world.given().size(), 4u);
  EXPECT_EQ(world.living(), 4u);
}

TEST(LaunchBatches, AReservationIsFilledAndTheRestToldSo) {
  BatchWorld world;
  awssim::FakeReservation reservation;
  reservation.instance_type = "m5.large";
  reservation.zone = "us-east-1b";
  reservation.instances = 3;
  reservation.tags = {{"team", "a"}};
  world.fake->reserve(reservation);
  model::NodeClass wanted = testing::some_class();
  wanted.reservation_selector_terms = {{{{"team", "a"}}, "", "", ""}};
  world.node_class = *world.provider->resolve(wanted, {}, {});
  std::vector<std::unique_ptr<runtime::Task>> tasks;
  int done = 0;
  for (int i = 0; i < 5; ++i) {
    model::NodeClaim claim = testing::some_claim("default-" + std::to_string(i), {"m5.large"}, "reserved");
    claim.meta.annotations[std::string(kAnnotationLaunchBatch)] = format_launch_batch({"8-0", i, 5});
    tasks.push_back(world.sim->spawn("launch", [&world, claim, i, &done](const std::stop_token& stop) {
      world.answers.insert_or_assign(i, world.provider->create(claim, world.node_class, nullptr, stop));
      ++done;
    }));
  }
  ASSERT_TRUE(world.sim->run_until([&] { return done == 5; }, 1min));
  EXPECT_EQ(world.given().size(), 3u);
  for (const auto& [number, answer] : world.answers) {
    if (answer) continue;
    EXPECT_EQ(answer.error().code, Code::kInsufficientCapacity);
  }
}

}  // namespace
}  // namespace tenon::cloud
