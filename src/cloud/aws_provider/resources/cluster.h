// The facts about the cluster that its instances need: from options, else requested from EKS.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <mutex>
#include <stop_token>
#include <string>

#include "aws/eks.h"
#include "cloud/aws_provider/util/refreshed.h"
#include "log/log.h"

namespace tenon::cloud {

inline constexpr Duration kClusterTtl = 5min;  // a control plane is upgraded while we run
// Minor versions of Kubernetes 1 that are known to work. parity: provider-aws pkg/providers/version
inline constexpr int kOldestMinor = 26, kNewestMinor = 36;

// Returns "1.34" for "v1.34.1-eks-3025e55" or "1.34+". Errors: kInternal. Pure.
Result<std::string> release_of(std::string_view version);

// Thread rule: any thread.
class ClusterInfo {
 public:
  struct Given {
    std::string name;
    std::string endpoint, ca_base64, dns_ip;  // empty: from EKS (dns_ip: none)
    // Returns the version that the API server reports; empty: from EKS.
    std::function<Result<std::string>(const std::stop_token& stop)> kubernetes_version = {};
    tenon::log::Logger log = {};
  };
  ClusterInfo(aws::Eks& eks, runtime::Runtime& runtime, Given given)
      : eks_(eks),
        given_(std::move(given)),
        described_(runtime, {.good_for = kClusterTtl}),
        version_(runtime, {.good_for = kClusterTtl}) {}

  const std::string& name() const { return given_.name; }
  const std::string& dns_ip() const { return given_.dns_ip; }
  Result<std::string> endpoint(const std::stop_token& stop);
  Result<std::string> arn(const std::stop_token& stop);  // from EKS
  Result<std::string> ca_base64(const std::stop_token& stop);
  Result<std::string> kubernetes_version(const std::stop_token& stop);  // "1.34"
  // From EKS. Errors: kInvalid if EKS returns none.
  Result<std::string> service_cidr(const std::stop_token& stop);

 private:
  Result<std::shared_ptr<const aws::EksCluster>> describe(const std::stop_token& stop);
  Result<std::string> ask_version(const std::stop_token& stop);
  void check_version(const std::string& release);

  aws::Eks& eks_;
  const Given given_;
  Refreshed<aws::EksCluster> described_;
  Refreshed<std::string> version_;  // from the API server
  std::mutex mutex_;
  std::string warned_version_;  // the last unsupported version that a warning was logged for
};

}  // namespace tenon::cloud
