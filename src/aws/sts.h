// STS: the caller's identity, and credentials of roles. Wire: query protocol, version 2011-06-15.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string>

#include "aws/client.h"
#include "aws/credentials.h"

namespace tenon::aws {

inline constexpr Duration kEksTokenLife = 14min;  // EKS accepts it for 15

struct CallerIdentity {
  std::string account, arn;
};

struct AssumedRole {
  std::string role_arn, session_name;
  std::string external_id;  // empty: none
  Duration life{};          // of the credentials, in whole seconds; 0: STS's default
};

// Thread rule: any thread.
class Sts {
 public:
  explicit Sts(Client& client) : client_(client) {}
  Result<CallerIdentity> get_caller_identity(const std::stop_token& stop);
  Result<Credentials> assume_role(const AssumedRole& role, const std::stop_token& stop);
  // Not signed: the token is the proof. `token` never appears in an Error.
  Result<Credentials> assume_role_with_web_identity(const std::string& role_arn, const std::string& session_name,
                                                    const std::string& token, const std::stop_token& stop);
  // Returns "k8s-aws-v1.…", a bearer token for an EKS API server; valid for at least kEksTokenLife.
  Result<std::string> eks_token(const std::string& cluster, const std::stop_token& stop);

 private:
  Client& client_;
};

}  // namespace tenon::aws
