// SPDX-License-Identifier: Apache-2.0
#include "aws/eks.h"

#include "aws/json_protocol.h"
#include "base/text.h"
#include "json/json.h"

namespace tenon::aws {

Result<EksCluster> Eks::describe_cluster(const std::string& name, const std::stop_token& stop) {
  const json::value answer =
      TRY(call_rest(client_, {kEks, "DescribeCluster", "GET", "/clusters/" + percent_encode(name)}, stop));
  EksCluster cluster;
  cluster.name = json::string_at(answer, {"cluster", "name"});
  cluster.arn = json::string_at(answer, {"cluster", "arn"});
  cluster.version = json::string_at(answer, {"cluster", "version"});
  cluster.endpoint = json::string_at(answer, {"cluster", "endpoint"});
  cluster.ca_base64 = json::string_at(answer, {"cluster", "certificateAuthority", "data"});
  cluster.service_cidr = json::string_at(answer, {"cluster", "kubernetesNetworkConfig", "serviceIpv4Cidr"});
  if (cluster.service_cidr.empty()) {
    cluster.service_cidr = json::string_at(answer, {"cluster", "kubernetesNetworkConfig", "serviceIpv6Cidr"});
  }
  cluster.ip_family = json::string_at(answer, {"cluster", "kubernetesNetworkConfig", "ipFamily"}, "ipv4");
  return cluster;
}

}  // namespace tenon::aws
