// A fake AWS in simulation with a caller, and the first steps of most tests. For tests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "awssim/fake_aws.h"
#include "awssim/testing/caller.h"
#include "runtime/sim.h"

namespace tenon::awssim::testing {

struct FleetOffer {
  std::string type;
  std::string zone = "us-east-1a";
  std::string priority = {};
};

class Account {
 public:
  explicit Account(FakeAwsOptions options = {});

  std::unique_ptr<runtime::SimRuntime> runtime;
  std::unique_ptr<FakeAws> aws;
  Caller call;

  std::string subnet_in(const std::string& zone);
  std::string image(const std::string& architecture = "x86_64");
  std::string security_group();
  // Creates a template with an image, a security group, tags and user data, as Karpenter does.
  void create_template(const std::string& name, const std::string& image_id, const Form& more = {});
  // A CreateFleet request from one template.
  Form fleet(const std::string& template_name, const std::vector<FleetOffer>& offers,
             const std::string& kind = "on-demand", int capacity = 1);
  FakeInstance instance(const std::string& id) const;  // fails the test if there is none
};

}  // namespace tenon::awssim::testing
