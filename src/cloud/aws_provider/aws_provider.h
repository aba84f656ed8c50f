// The Provider that speaks to EC2, SSM, IAM, EKS and Pricing through aws::Client.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "aws/client.h"
#include "catalog/price_file.h"
#include "cloud/provider.h"
#include "metrics/registry.h"

namespace tenon::cloud {

struct AwsProviderOptions {
  // The cluster's version as its API server tells it: "v1.34.1-eks-3025e55", "1.34".
  using AskVersion = std::function<Result<std::string>(const std::stop_token& stop)>;
  std::string cluster_name;
  std::string cluster_endpoint;  // empty: asked from EKS
  double vm_memory_overhead_percent = 0.075;
  int reserved_enis = 0;
  // Test-only (a planted fault): instances are launched without tags.
  bool omit_tags = false;
  std::string cluster_ca_base64 = {};                       // empty: asked from EKS
  std::string cluster_dns_ip = {};                          // of kube-dns; empty: kubelets find it themselves
  AskVersion kubernetes_version = {};                       // empty: asked from EKS
  bool reserved_capacity = true;                            // the feature gate ReservedCapacity
  bool node_overlays = false;                               // the feature gate NodeOverlay
  bool isolated_vpc = false;                                // neither Pricing nor IAM clean-up
  bool disable_dry_run = false;                             // node classes are not validated by trying
  Duration ami_refresh = 1min, subnet_refresh = 1min;       // how long what a selector found counts
  catalog::PriceFile price_file = {};                       // discounts and commitments
  metrics::Registry* registry = nullptr;                    // borrowed; null: no metrics
  std::function<void(const std::string& line)> warn = {};   // what somebody should look at; may be empty
  std::function<void(const std::string& line)> debug = {};  // what explains a launch; may be empty
};

// `client` is borrowed. Nothing is asked before the first call.
std::unique_ptr<Provider> make_aws_provider(aws::Client& client, AwsProviderOptions options);

}  // namespace tenon::cloud
