// The instance profile of a node class: its own, or one that we make for spec.role and delete with the class.
// parity: provider-aws pkg/providers/instanceprofile
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "aws/iam.h"
#include "cloud/aws_provider/refreshed.h"
#include "model/node_class.h"

namespace tenon::cloud {

inline constexpr Duration kProfileTtl = 15min;
// What was lately given out is no stray: a launch may be about to use it, and no object names it yet.
inline constexpr Duration kProfileProtected = 1h;

// Thread rule: any thread.
class InstanceProfiles {
 public:
  struct Where {
    std::string cluster, region;
  };
  InstanceProfiles(aws::Iam& iam, runtime::Runtime& runtime, Where where)
      : iam_(iam), where_(std::move(where)), verified_(runtime, kProfileTtl), protected_(runtime, kProfileProtected) {}

  // The name to launch with: spec.instanceProfile, or that of a profile which holds spec.role (made if there is none;
  // its name depends on the class's uid and the role, so that a changed role gets a new profile).
  Result<std::string> ensure(const model::NodeClass& node_class, const std::stop_token& stop);
  // Empties and deletes every profile that was made for the class, old_name_of() among them.
  Status remove_all(const model::NodeClass& node_class, const std::stop_token& stop);

  // Does so with every profile under the cluster's path that is neither in use nor was given out within
  // kProfileProtected; answers their names.
  Result<std::vector<std::string>> remove_strays(const std::set<std::string>& in_use, const std::stop_token& stop);

  // "/karpenter/us-east-1/demo/<uid>/"
  std::string path_of(const model::NodeClass& node_class) const;
  // "demo_<number>"
  std::string name_of(const model::NodeClass& node_class) const;
  // The same, as Karpenter named it before its API v1.
  std::string old_name_of(const model::NodeClass& node_class) const;

 private:
  Status remove(const aws::InstanceProfile& profile, const std::stop_token& stop);
  std::string cluster_path() const;
  Result<aws::InstanceProfile> get_or_create(const std::string& name, const model::NodeClass& node_class,
                                             const std::stop_token& stop);

  aws::Iam& iam_;
  const Where where_;
  TtlMap<std::string, std::string> verified_;  // profile → role
  TtlMap<std::string, bool> protected_;        // profiles that were given out
};

}  // namespace tenon::cloud
