// EKS. Wire: REST-JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string>

#include "aws/client.h"

namespace tenon::aws {

struct EksCluster {
  std::string name, arn, version, endpoint;
  std::string ca_base64;     // certificateAuthority.data
  std::string service_cidr;  // IPv4, or IPv6 if there is no IPv4
  std::string ip_family;     // ipv4, ipv6
};

// Thread rule: any thread.
class Eks {
 public:
  explicit Eks(Client& client) : client_(client) {}
  // Errors: kNotFound, and those of Client::call.
  Result<EksCluster> describe_cluster(const std::string& name, const std::stop_token& stop);

 private:
  Client& client_;
};

}  // namespace tenon::aws
