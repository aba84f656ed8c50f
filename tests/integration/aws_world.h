// The AWS provider on the wire-level AWS of the minicluster, with a clock that the test sets.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "aws/testing/canned.h"
#include "awssim/fake_aws.h"
#include "cloud/aws_provider/aws_provider.h"
#include "http/loopback_transport.h"
#include "model/labels.h"

namespace tenon::cloud::testing {

inline constexpr const char* kHost = "aws.test";

// Keeps the bodies of all requests; a body that is no form has a line before it: "POST / AmazonSSM.GetParameter".
class ListeningTransport final : public http::Transport {
 public:
  ListeningTransport(std::unique_ptr<http::Transport> inner, std::vector<std::string>& sent)
      : inner_(std::move(inner)), sent_(sent) {}
  Result<http::Response> send(const http::Request& request, const std::stop_token& stop) override {
    const auto url = http::parse_url(request.url);
    std::string line = request.method + " " + std::string(url ? url->path : "");
    if (!request.headers.get("X-Amz-Target").empty()) line += " " + std::string(request.headers.get("X-Amz-Target"));
    sent_.push_back(request.body.starts_with("Action=") ? request.body : line + "\n" + request.body);
    return inner_->send(request, stop);
  }
  Status stream(const http::Request& request, http::StreamSink& sink, const std::stop_token& stop) override {
    return inner_->stream(request, sink, stop);
  }

 private:
  const std::unique_ptr<http::Transport> inner_;
  std::vector<std::string>& sent_;
};

struct World {
  World() { restart(); }

  awssim::FakeAwsOptions options() {
    awssim::FakeAwsOptions o;
    o.cluster_endpoint = "https://demo.test";
    o.cluster_ca_pem = "PEM";
    o.fault = [this](const std::string& action) {
      const auto it = faults.find(action);
      return it == faults.end() ? std::string() : it->second;
    };
    return o;
  }
  // Starts a new process of ours; AWS keeps its state.
  void restart(AwsProviderOptions provider_options = {.cluster_name = "demo"}) {
    provider.reset();
    client = std::make_unique<aws::Client>(
        aws::Client::Context{*transport, runtime, *credentials},
        aws::Client::Options{.region = "us-east-1", .environment = [](const std::string& name) {
                               return name == "AWS_ENDPOINT_URL" ? "http://" + std::string(kHost) : std::string();
                             }});
    provider = make_aws_provider(*client, std::move(provider_options));
  }
  model::NodeClass ready_class(model::NodeClass spec) {
    auto resolved = provider->resolve(spec, {}, {});
    EXPECT_TRUE(resolved) << resolved.error().message;
    return resolved ? *resolved : spec;
  }
  awssim::FakeInstance instance(const std::string& provider_id) {
    for (const auto& found : fake->instances()) {
      if (provider_id.ends_with("/" + found.id)) return found;
    }
    ADD_FAILURE() << "no instance " << provider_id;
    return {};
  }
  size_t running() const {
    const auto all = fake->instances();
    return static_cast<size_t>(std::count_if(
        all.begin(), all.end(), [](const auto& i) { return i.state == "pending" || i.state == "running"; }));
  }

  std::map<std::string, std::string> faults;  // action → error code
  aws::testing::ManualRuntime runtime;
  std::unique_ptr<awssim::FakeAws> fake = awssim::make_fake_aws(runtime, options());
  std::vector<std::string> sent;  // bodies of requests
  std::unique_ptr<http::Transport> transport =
      std::make_unique<ListeningTransport>(http::make_loopback_transport({{kHost, fake.get()}}), sent);
  std::unique_ptr<aws::CredentialsProvider> credentials =
      aws::make_static_credentials({"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", ""});
  std::unique_ptr<aws::Client> client;
  std::unique_ptr<Provider> provider;
};

inline model::NodeClass some_class() {
  model::NodeClass out;
  out.meta.name = "default";
  out.meta.uid = "0aa0-nodeclass";
  out.meta.generation = 1;
  out.role = "KarpenterNodeRole-demo";
  out.ami_selector_terms = {{.alias = "al2023@latest"}};
  out.subnet_selector_terms = {{.tags = {{"karpenter.sh/discovery", "demo"}}}};
  out.security_group_selector_terms = {{.tags = {{"karpenter.sh/discovery", "demo"}}}};
  out.tags = {{"team", "a"}};
  return out;
}

inline model::NodeClaim some_claim(const std::string& name, std::vector<std::string> types,
                                   const std::string& capacity_type) {
  model::NodeClaim claim;
  claim.meta.name = name;
  claim.meta.uid = "uid-of-" + name;
  claim.meta.labels = {{"karpenter.sh/nodepool", "default"}, {"type", "karpenter"}};
  claim.node_class_ref = {"karpenter.k8s.aws", "EC2NodeClass", "default"};
  claim.requirements = {{std::string(model::kLabelInstanceType), model::Operator::kIn, std::move(types), {}},
                        {std::string(model::kLabelCapacityType), model::Operator::kIn, {capacity_type}, {}},
                        {"karpenter.sh/nodepool", model::Operator::kIn, {"default"}, {}}};
  claim.requests = {{"cpu", 1000}, {"memory", int64_t{1} << 30}};
  claim.taints = {{"dedicated", "x", "NoSchedule", {}}};
  return claim;
}

}  // namespace tenon::cloud::testing
