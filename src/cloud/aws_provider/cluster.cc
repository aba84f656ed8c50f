// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/cluster.h"

namespace tenon::cloud {

Result<std::shared_ptr<const aws::EksCluster>> ClusterInfo::describe(const std::stop_token& stop) {
  return described_.get([&] { return eks_.describe_cluster(given_.name, stop); }, stop);
}

Result<std::string> ClusterInfo::endpoint(const std::stop_token& stop) {
  if (!given_.endpoint.empty()) return given_.endpoint;
  return TRY_IN("cluster endpoint", describe(stop))->endpoint;
}

Result<std::string> ClusterInfo::arn(const std::stop_token& stop) { return TRY_IN("cluster ARN", describe(stop))->arn; }

Result<std::string> ClusterInfo::ca_base64(const std::stop_token& stop) {
  if (!given_.ca_base64.empty()) return given_.ca_base64;
  return TRY_IN("cluster CA", describe(stop))->ca_base64;
}

Result<std::string> ClusterInfo::kubernetes_version(const std::stop_token& stop) {
  if (given_.kubernetes_version) {
    std::string version = given_.kubernetes_version();
    if (!version.empty()) return version;
  }
  return TRY_IN("Kubernetes version", describe(stop))->version;
}

Result<std::string> ClusterInfo::service_cidr(const std::stop_token& stop) {
  const auto cluster = TRY_IN("resolving cluster CIDR", describe(stop));
  if (cluster->service_cidr.empty()) return fail(Code::kInvalid, "resolving cluster CIDR: EKS tells none");
  return cluster->service_cidr;
}

}  // namespace tenon::cloud
