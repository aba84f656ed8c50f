// The Provider that calls EC2, SSM, IAM, EKS, Pricing and ARC zonal shift through aws::Client.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "aws/client.h"
#include "catalog/price_file.h"
#include "cloud/provider.h"
#include "log/log.h"
#include "metrics/registry.h"

namespace tenon::cloud {

struct AwsProviderOptions {
  // Returns the version that the cluster's API server reports: "v1.34.1-eks-3025e55", "1.34".
  using AskVersion = std::function<Result<std::string>(const std::stop_token& stop)>;
  std::string cluster_name;
  std::string cluster_endpoint;  // empty: requested from EKS
  double vm_memory_overhead_percent = 0.075;
  int reserved_enis = 0;
  std::string cluster_ca_base64 = {};                  // empty: requested from EKS
  std::string cluster_dns_ip = {};                     // of kube-dns; empty: kubelets determine it themselves
  AskVersion kubernetes_version = {};                  // empty: requested from EKS
  bool reserved_capacity = true;                       // the feature gate ReservedCapacity
  bool node_overlays = false;                          // the feature gate NodeOverlay
  bool isolated_vpc = false;                           // no calls to Pricing, no IAM clean-up
  bool disable_dry_run = false;                        // node classes are not validated by dry runs
  Duration ami_refresh = 1min, subnet_refresh = 1min;  // how long the result of a selector is cached
  catalog::PriceFile price_file = {};                  // discounts and commitments
  metrics::Registry* registry = nullptr;               // borrowed; null: no metrics
  tenon::log::Logger log = {};                         // problems for the operator; reasons for a launch (debug)
};

// `client` is borrowed. No request is sent before the first call.
std::unique_ptr<Provider> make_aws_provider(aws::Client& client, AwsProviderOptions options);

}  // namespace tenon::cloud
