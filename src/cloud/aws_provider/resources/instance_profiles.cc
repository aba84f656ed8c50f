// ensure():     GetInstanceProfile → CreateInstanceProfile → RemoveRole (other roles) → AddRole.
// remove():     RemoveRole → DeleteInstanceProfile.
// A crash between any two calls leaves a profile without a role, or with another one. No launch uses it, since ensure()
// returns a name only after AddRole. The next ensure() for the class and role finds it by name and completes it;
// remove_all() and remove_strays() find it by its path and delete it.
// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/resources/instance_profiles.h"

#include "cloud/aws_provider/util/stable_hash.h"
#include "cloud/aws_provider/util/tags.h"

namespace tenon::cloud {
namespace {

// IAM compares and returns bare names: "a/b/role" is "role".
std::string role_name(const std::string& role) { return role.substr(role.rfind('/') + 1); }

constexpr size_t kLongestName = 128;  // IAM's limit

// 64-bit FNV-1. parity: hashstructure's FormatV2 of a text
uint64_t text_hash(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash * 0x100000001b3) ^ static_cast<unsigned char>(c);
  return hash;
}

}  // namespace

std::string InstanceProfiles::cluster_path() const {
  return "/karpenter/" + where_.region + "/" + where_.cluster + "/";
}

std::string InstanceProfiles::path_of(const model::NodeClass& node_class) const {
  return cluster_path() + node_class.meta.uid + "/";
}

std::string InstanceProfiles::name_of(const model::NodeClass& node_class) const {
  StableHash hash;
  hash.add(where_.region).add(node_class.meta.name).add(node_class.meta.uid).add(role_name(node_class.role));
  return where_.cluster + "_" + std::to_string(hash.value());
}

Result<aws::InstanceProfile> InstanceProfiles::get_or_create(const std::string& name,
                                                             const model::NodeClass& node_class,
                                                             const std::stop_token& stop) {
  auto found = iam_.get_instance_profile(name, stop);
  if (found || found.error().code != Code::kNotFound) return found;
  const aws::InstanceProfileInput input{name, path_of(node_class),
                                        profile_tags(node_class, where_.cluster, where_.region)};
  auto made = iam_.create_instance_profile(input, stop);
  if (!made && made.error().code == Code::kAlreadyExists) return iam_.get_instance_profile(name, stop);
  return made;
}

Result<std::string> InstanceProfiles::ensure(const model::NodeClass& node_class, const std::stop_token& stop) {
  if (!node_class.instance_profile.empty()) return node_class.instance_profile;
  const std::string role = role_name(node_class.role);
  const std::string name = name_of(node_class);
  protected_.put(name, true);
  if (verified_.find(name) == role) return name;
  const aws::InstanceProfile profile = TRY_IN("instance profile " + name, get_or_create(name, node_class, stop));
  bool attached = false;
  for (const std::string& other : profile.roles) {
    if (other == role) {
      attached = true;
    } else {
      TRY_IN("instance profile " + name, iam_.remove_role(name, other, stop));
    }
  }
  if (!attached) TRY_IN("instance profile " + name, iam_.add_role(name, role, stop));
  verified_.put(name, role);
  return name;
}

Status InstanceProfiles::remove(const aws::InstanceProfile& profile, const std::stop_token& stop) {
  for (const std::string& role : profile.roles) {
    const auto removed = iam_.remove_role(profile.name, role, stop);
    if (!removed && removed.error().code != Code::kNotFound) return removed;
  }
  const auto deleted = iam_.delete_instance_profile(profile.name, stop);
  if (!deleted && deleted.error().code != Code::kNotFound) return deleted;
  verified_.erase(profile.name);
  return ok();
}

Status InstanceProfiles::remove_all(const model::NodeClass& node_class, const std::stop_token& stop) {
  for (const aws::InstanceProfile& profile : TRY(iam_.list_instance_profiles(path_of(node_class), stop))) {
    TRY(remove(profile, stop));
  }
  const std::string old = old_name_of(node_class);
  if (old.size() > kLongestName) return ok();
  const auto found = iam_.get_instance_profile(old, stop);
  if (found) return remove(*found, stop);
  return found.error().code == Code::kNotFound ? ok() : fail(found.error());
}

std::string InstanceProfiles::old_name_of(const model::NodeClass& node_class) const {
  return where_.cluster + "_" + std::to_string(text_hash(where_.region + node_class.meta.name));
}

Result<std::vector<std::string>> InstanceProfiles::remove_strays(const std::set<std::string>& in_use,
                                                                 const std::stop_token& stop) {
  std::vector<std::string> removed;
  for (const aws::InstanceProfile& profile : TRY(iam_.list_instance_profiles(cluster_path(), stop))) {
    if (in_use.contains(profile.name) || protected_.find(profile.name)) continue;
    TRY_IN("instance profile " + profile.name, remove(profile, stop));
    removed.push_back(profile.name);
  }
  return removed;
}

}  // namespace tenon::cloud
