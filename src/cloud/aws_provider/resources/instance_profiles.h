// The instance profile of a node class: its own, or one that we create for spec.role and delete with the class.
// parity: provider-aws pkg/providers/instanceprofile
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "aws/iam.h"
#include "cloud/aws_provider/util/refreshed.h"
#include "model/node_class.h"

namespace tenon::cloud {

inline constexpr Duration kProfileTtl = 15min;
// A recently returned profile is not removed as stray: a launch may be about to use it, and no object names it yet.
inline constexpr Duration kProfileProtected = 1h;

// Thread rule: any thread.
class InstanceProfiles {
 public:
  struct Where {
    std::string cluster, region;
  };
  InstanceProfiles(aws::Iam& iam, runtime::Runtime& runtime, Where where)
      : iam_(iam), where_(std::move(where)), verified_(runtime, kProfileTtl), protected_(runtime, kProfileProtected) {}

  // Returns the profile name to launch with: spec.instanceProfile, or a profile that holds spec.role, created if it
  // does not exist. Its name depends on the class's uid and the role, so a changed role gets a new profile.
  Result<std::string> ensure(const model::NodeClass& node_class, const std::stop_token& stop);
  // Removes the roles of every profile that was created for the class, including old_name_of(), and deletes the
  // profiles.
  Status remove_all(const model::NodeClass& node_class, const std::stop_token& stop);

  // Does the same for every profile under the cluster's path that is neither in use nor was returned by ensure() within
  // kProfileProtected. Returns their names.
  Result<std::vector<std::string>> remove_strays(const std::set<std::string>& in_use, const std::stop_token& stop);

  // "/karpenter/us-east-1/demo/<uid>/"
  std::string path_of(const model::NodeClass& node_class) const;
  // "demo_<number>"
  std::string name_of(const model::NodeClass& node_class) const;
  // Returns the name that Karpenter used before its API v1.
  std::string old_name_of(const model::NodeClass& node_class) const;

 private:
  Status remove(const aws::InstanceProfile& profile, const std::stop_token& stop);
  std::string cluster_path() const;
  Result<aws::InstanceProfile> get_or_create(const std::string& name, const model::NodeClass& node_class,
                                             const std::stop_token& stop);

  aws::Iam& iam_;
  const Where where_;
  TtlMap<std::string, std::string> verified_;  // profile → role
  TtlMap<std::string, bool> protected_;        // profiles that ensure() returned
};

}  // namespace tenon::cloud
