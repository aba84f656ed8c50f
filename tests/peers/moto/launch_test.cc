// Launch templates, fleets and instances against moto.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "aws/ec2.h"
#include "base/text.h"
#include "moto/moto_account.h"

namespace tenon::peers {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::StartsWith;

// Requests short pages, so that a few objects take several pages. The body is changed after it was signed.
class ShortPages : public http::Transport {
 public:
  explicit ShortPages(http::Transport& below) : below_(below) {}
  Result<http::Response> send(const http::Request& request, const std::stop_token& stop) override {
    ++sent;
    http::Request changed = request;
    const size_t at = changed.body.find("MaxResults=");
    if (at != std::string::npos) changed.body.replace(at, changed.body.find('&', at) - at, "MaxResults=5");
    return below_.send(changed, stop);
  }
  Status stream(const http::Request& request, http::StreamSink& sink, const std::stop_token& stop) override {
    return below_.stream(request, sink, stop);
  }
  int sent = 0;

 private:
  http::Transport& below_;
};

class MotoLaunch : public MotoTest {
 protected:
  aws::LaunchTemplateInput a_template(const std::string& name) const {
    aws::LaunchTemplateInput input;
    input.name = name;
    input.image_id = environment_value("PEER_IMAGE");
    input.user_data = base64_encode("#!/bin/bash\n");
    input.security_group_ids = {environment_value("PEER_GROUP")};
    input.devices = {{.device_name = "/dev/xvda", .volume_type = "gp3", .size_gib = 20, .encrypted = true}};
    input.http_tokens = "required";
    input.resource_tags = {{"network-interface", {{"team", "a"}}}};
    input.tags = {{"karpenter.k8s.aws/cluster", "peer"}, {"text", "spaces, ünïcode & <xml>"}};
    return input;
  }
  aws::FleetInput a_fleet(const std::string& launch_template) const {
    aws::FleetInput input;
    input.client_token = client_->make_token();
    input.allocation_strategy = "lowest-price";
    input.configs = {{launch_template, {{"m5.large", environment_value("PEER_SUBNET"), "us-east-1a", "", ""}}}};
    input.tags = {{"instance", {{"team", "a"}}}};
    return input;
  }
  std::vector<std::string> launch(aws::FleetInput input) {
    const auto fleet = ec2_.create_fleet(input, stop_);
    EXPECT_TRUE(fleet) << fleet.error().message;
    std::vector<std::string> ids;
    if (!fleet) return ids;
    EXPECT_TRUE(fleet->errors.empty());
    for (const auto& instances : fleet->instances) ids.insert(ids.end(), instances.ids.begin(), instances.ids.end());
    return ids;
  }
  aws::Ec2 ec2_{*client_};
};

TEST_F(MotoLaunch, TemplatesAreMadeFoundAndDeleted) {
  const auto made = ec2_.create_launch_template(a_template("t"), stop_);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_THAT(made->id, StartsWith("lt-"));
  EXPECT_EQ(ec2_.create_launch_template(a_template("t"), stop_).error().code, Code::kAlreadyExists);
  const auto found = ec2_.find_launch_template("t", stop_);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->id, made->id);
  EXPECT_THAT(found->tags, Contains(Pair("text", "spaces, ünïcode & <xml>")));
  const auto tagged = ec2_.describe_launch_templates({{"tag:karpenter.k8s.aws/cluster", {"peer"}}}, stop_);
  ASSERT_TRUE(tagged) << tagged.error().message;
  EXPECT_EQ(tagged->size(), 1u);
  EXPECT_TRUE(ec2_.delete_launch_template(made->id, stop_));
  EXPECT_EQ(ec2_.find_launch_template("t", stop_).error().code, Code::kNotFound);
}

TEST_F(MotoLaunch, AFleetIsLaunchedTaggedAndEnded) {
  const auto made = ec2_.create_launch_template(a_template("f"), stop_);
  ASSERT_TRUE(made) << made.error().message;
  aws::FleetInput spot = a_fleet("f");
  spot.spot = true;
  spot.allocation_strategy = "price-capacity-optimized";
  const auto ids = launch(spot);
  ASSERT_EQ(ids.size(), 1u);
  auto described = ec2_.describe_instances(ids, {}, stop_);
  ASSERT_TRUE(described) << described.error().message;
  ASSERT_EQ(described->size(), 1u);
  const aws::InstanceInfo& instance = described->front();
  EXPECT_EQ(instance.type, "m5.large");
  EXPECT_EQ(instance.zone, "us-east-1a");
  EXPECT_EQ(instance.subnet_id, environment_value("PEER_SUBNET"));
  EXPECT_EQ(instance.image_id, environment_value("PEER_IMAGE"));
  EXPECT_EQ(instance.state, "running");
  EXPECT_TRUE(instance.spot);
  EXPECT_THAT(instance.private_dns_name, StartsWith("ip-10-1-"));
  EXPECT_THAT(instance.tags, Contains(Pair("team", "a")));

  ASSERT_TRUE(ec2_.create_tags(ids, {{"Name", "n 1"}}, stop_));
  const aws::Filters named = {{"tag:Name", {"n 1"}}, {"instance-state-name", {"pending", "running"}}};
  EXPECT_EQ(ec2_.describe_instances({}, named, stop_)->size(), 1u);
  const auto ended = ec2_.terminate_instances(ids, stop_);
  ASSERT_TRUE(ended) << ended.error().message;
  ASSERT_EQ(ended->size(), 1u);
  EXPECT_EQ(ended->front().previous, "running");
  EXPECT_EQ(ended->front().current, "shutting-down");
  EXPECT_EQ(ec2_.describe_instances({}, named, stop_)->size(), 0u);
  EXPECT_TRUE(ec2_.delete_launch_template(made->id, stop_));
}

TEST_F(MotoLaunch, WhatIsNotThereIsNotFound) {
  const std::string nobody = "i-0123456789abcdef0";
  EXPECT_EQ(ec2_.describe_instances({nobody}, {}, stop_).error().code, Code::kNotFound);
  EXPECT_EQ(ec2_.terminate_instances({nobody}, stop_).error().code, Code::kNotFound);
  const auto fleet = ec2_.create_fleet(a_fleet("no-such-template"), stop_);
  ASSERT_FALSE(fleet);
  EXPECT_EQ(fleet.error().code, Code::kNotFound);
  EXPECT_THAT(fleet.error().message, HasSubstr("InvalidLaunchTemplateName.NotFoundException"));
}

TEST_F(MotoLaunch, DryRunsSucceedAndBuyNothing) {
  const auto made = ec2_.create_launch_template(a_template("d"), stop_);
  ASSERT_TRUE(made) << made.error().message;
  aws::FleetInput fleet = a_fleet("d");
  fleet.dry_run = true;
  const auto tried = ec2_.create_fleet(fleet, stop_);
  ASSERT_TRUE(tried) << tried.error().message;
  EXPECT_TRUE(tried->instances.empty());
  EXPECT_TRUE(ec2_.dry_run_instances({"d", "m5.large", environment_value("PEER_SUBNET"), {}}, stop_));
  EXPECT_EQ(ec2_.describe_instances({}, {{"instance-state-name", {"running"}}}, stop_)->size(), 0u);
  EXPECT_TRUE(ec2_.delete_launch_template(made->id, stop_));
}

TEST_F(MotoLaunch, EveryPageIsRead) {
  constexpr size_t kInstances = 12;
  const auto made = ec2_.create_launch_template(a_template("p"), stop_);
  ASSERT_TRUE(made) << made.error().message;
  std::vector<std::string> ids;
  for (size_t i = 0; i < kInstances; ++i) {
    for (std::string& id : launch(a_fleet("p"))) ids.push_back(std::move(id));
  }
  check_signatures(false);
  ShortPages pages(*transport_);
  const auto client = client_with(pages, *credentials_);
  const auto all = aws::Ec2(*client).describe_instances({}, {{"instance-state-name", {"running"}}}, stop_);
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(all->size(), kInstances);
  EXPECT_EQ(pages.sent, 3);
  EXPECT_EQ(ec2_.terminate_instances(ids, stop_)->size(), kInstances);
  EXPECT_TRUE(ec2_.delete_launch_template(made->id, stop_));
}

}  // namespace
}  // namespace tenon::peers
