// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/resources/cluster.h"

#include <cstdlib>

#include "base/text.h"

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

Result<std::string> release_of(std::string_view version) {
  if (version.starts_with('v')) version.remove_prefix(1);
  const auto [major, rest] = cut(version, '.');
  const std::string_view minor = rest.substr(0, rest.find_first_not_of("0123456789"));
  if (major.empty() || major.find_first_not_of("0123456789") != std::string_view::npos || minor.empty()) {
    return fail(Code::kInternal, "\"" + std::string(version) + "\" is not a version of Kubernetes");
  }
  return std::string(major) + "." + std::string(minor);
}

Result<std::string> ClusterInfo::ask_version(const std::stop_token& stop) {
  if (!given_.kubernetes_version) {
    const auto cluster = TRY(describe(stop));
    return cluster->version;
  }
  return *TRY(version_.get([&] { return given_.kubernetes_version(stop); }, stop));
}

void ClusterInfo::check_version(const std::string& release) {
  const auto [major, minor] = cut(release, '.');
  const int number = std::atoi(std::string(minor).c_str());
  if (major == "1" && number >= kOldestMinor && number <= kNewestMinor) return;
  {
    const std::scoped_lock lock(mutex_);
    if (warned_version_ == release) return;
    warned_version_ = release;
  }
  given_.log.warn("the cluster has Kubernetes " + release + ", which is not known to work: 1." +
                  std::to_string(kOldestMinor) + " to 1." + std::to_string(kNewestMinor) + " are");
}

Result<std::string> ClusterInfo::kubernetes_version(const std::stop_token& stop) {
  const std::string version = TRY_IN("Kubernetes version", ask_version(stop));
  std::string release = TRY_IN("Kubernetes version", release_of(version));
  check_version(release);
  return release;
}

Result<std::string> ClusterInfo::service_cidr(const std::stop_token& stop) {
  const auto cluster = TRY_IN("resolving cluster CIDR", describe(stop));
  if (cluster->service_cidr.empty()) return fail(Code::kInvalid, "resolving cluster CIDR: EKS tells none");
  return cluster->service_cidr;
}

}  // namespace tenon::cloud
