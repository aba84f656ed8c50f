// IAM instance profiles, and the policies of a role. Wire: query protocol, version 2010-05-08; a global service.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "aws/client.h"
#include "aws/query_protocol.h"

namespace tenon::aws {

struct InstanceProfile {
  std::string name, path, arn;
  std::vector<std::string> roles;  // names
  Tags tags;
};
struct InstanceProfileInput {
  std::string name, path;  // path: "/" or "/a/b/"
  Tags tags;
};

struct RolePolicies {
  std::vector<std::string> documents;  // JSON: the default versions of the attached ones, and the inline ones
  bool bounded = false;                // the role has a permissions boundary
};

// Thread rule: any thread. Errors: kNotFound, kAlreadyExists, and those of Client::call.
class Iam {
 public:
  explicit Iam(Client& client) : client_(client) {}
  Result<InstanceProfile> get_instance_profile(const std::string& name, const std::stop_token& stop);
  Result<InstanceProfile> create_instance_profile(const InstanceProfileInput& input, const std::stop_token& stop);
  Status add_role(const std::string& profile, const std::string& role, const std::stop_token& stop);
  Status remove_role(const std::string& profile, const std::string& role, const std::stop_token& stop);
  Status delete_instance_profile(const std::string& name, const std::stop_token& stop);
  Result<std::vector<InstanceProfile>> list_instance_profiles(const std::string& path_prefix,
                                                              const std::stop_token& stop);
  // `role`: its name, without a path.
  Result<RolePolicies> role_policies(const std::string& role, const std::stop_token& stop);

 private:
  Client& client_;
};

}  // namespace tenon::aws
