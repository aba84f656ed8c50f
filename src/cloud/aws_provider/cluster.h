// What instances must know of the cluster that they join: given by options, else asked from EKS.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "aws/eks.h"
#include "cloud/aws_provider/refreshed.h"

namespace tenon::cloud {

inline constexpr Duration kClusterTtl = 5min;  // a control plane is upgraded while we run

// Thread rule: any thread.
class ClusterInfo {
 public:
  struct Given {
    std::string name;
    std::string endpoint, ca_base64, dns_ip;          // empty: EKS knows (dns_ip: none)
    std::function<std::string()> kubernetes_version;  // "1.34"; empty: EKS knows
  };
  ClusterInfo(aws::Eks& eks, runtime::Runtime& runtime, Given given)
      : eks_(eks), given_(std::move(given)), described_(runtime, {.good_for = kClusterTtl}) {}

  const std::string& name() const { return given_.name; }
  const std::string& dns_ip() const { return given_.dns_ip; }
  Result<std::string> endpoint(const std::stop_token& stop);
  Result<std::string> arn(const std::stop_token& stop);  // asked from EKS
  Result<std::string> ca_base64(const std::stop_token& stop);
  Result<std::string> kubernetes_version(const std::stop_token& stop);
  // Asked from EKS. Errors: kInvalid if EKS tells none.
  Result<std::string> service_cidr(const std::stop_token& stop);

 private:
  Result<std::shared_ptr<const aws::EksCluster>> describe(const std::stop_token& stop);

  aws::Eks& eks_;
  const Given given_;
  Refreshed<aws::EksCluster> described_;
};

}  // namespace tenon::cloud
