// IAM instance profiles and roles.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "awssim/ec2/launch.h"
#include "awssim/services/services.h"
#include "base/text.h"

namespace tenon::awssim {
namespace {

constexpr int64_t kProfilesPerPage = 100;
constexpr size_t kMaxProfileName = 128;

tl::unexpected<AwsError> no_such(std::string_view kind, std::string_view name) {
  std::string message = kind == "Role" ? "The role with name " + std::string(name) + " cannot be found."
                                       : "Instance Profile " + std::string(name) + " cannot be found.";
  return deny("NoSuchEntity", message, 404);
}

void write_tags(const Tags& tags, Xml& out) {
  out.list("Tags", tags, [&](const auto& tag) { out.text("Key", tag.first).text("Value", tag.second); }, "member");
}

void write_role(const World& world, const Role& role, Xml& out) {
  out.text("Path", "/").text("RoleName", role.name).text("RoleId", role.id);
  out.text("Arn", world.arn("iam", "role/" + role.name)).time("CreateDate", role.created_at);
  out.text("AssumeRolePolicyDocument", percent_encode(role.trust_policy)).number("MaxSessionDuration", 3600);
}

void write_profile(const World& world, const InstanceProfile& profile, Xml& out) {
  out.text("Path", profile.path).text("InstanceProfileName", profile.name).text("InstanceProfileId", profile.id);
  out.text("Arn", profile.arn).time("CreateDate", profile.created_at);
  out.list(
      "Roles", profile.roles, [&](const std::string& name) { write_role(world, world.roles.at(name), out); }, "member");
  write_tags(profile.tags, out);
}

Outcome<InstanceProfile*> find_profile(World& world, const Params& params) {
  auto found = world.profiles.find(params.get("InstanceProfileName"));
  if (found == world.profiles.end()) return no_such("Instance Profile", params.get("InstanceProfileName"));
  return &found->second;
}

Outcome<const Role*> find_role(const World& world, const Params& params) {
  auto found = world.roles.find(params.get("RoleName"));
  if (found == world.roles.end()) return no_such("Role", params.get("RoleName"));
  return &found->second;
}

Outcome<void> check_profile_name(std::string_view name) {
  constexpr std::string_view kAlso = "+=,.@-_";
  bool valid = !name.empty() && name.size() <= kMaxProfileName && std::all_of(name.begin(), name.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || kAlso.find(c) != kAlso.npos;
  });
  if (!valid)
    return deny("ValidationError",
                "The specified value for instanceProfileName is invalid. It must contain only "
                "alphanumeric characters and/or the following: +=,.@_-");
  return {};
}

Outcome<void> create_profile(World& world, const Params& params, Xml& out) {
  std::string name(params.get("InstanceProfileName"));
  AWS_TRY(check_profile_name(name));
  std::string path(params.has("Path") ? params.get("Path") : "/");
  if (!path.starts_with('/') || !path.ends_with('/'))
    return deny("ValidationError", "The specified value for path is invalid. It must begin and end with /");
  if (world.profiles.contains(name))
    return deny("EntityAlreadyExists", "Instance Profile " + name + " already exists.", 409);
  Tags tags = params.tags("Tags.member");
  AWS_TRY(ec2::check_tags(tags));
  InstanceProfile profile{
      name, path, "AIPA" + world.new_id(""), world.arn("iam", "instance-profile" + path + name), world.runtime.now(),
      tags, {}};
  world.profiles.emplace(name, profile);
  out.element("InstanceProfile", [&] { write_profile(world, profile, out); });
  return {};
}

Outcome<void> get_profile(World& world, const Params& params, Xml& out) {
  InstanceProfile* profile = AWS_TRY(find_profile(world, params));
  out.element("InstanceProfile", [&] { write_profile(world, *profile, out); });
  return {};
}

Outcome<void> delete_profile(World& world, const Params& params, Xml&) {
  InstanceProfile* profile = AWS_TRY(find_profile(world, params));
  if (!profile->roles.empty())
    return deny("DeleteConflict", "Cannot delete entity, must remove roles from instance profile first.", 409);
  world.profiles.erase(std::string(profile->name));
  return {};
}

Outcome<void> add_role(World& world, const Params& params, Xml&) {
  InstanceProfile* profile = AWS_TRY(find_profile(world, params));
  const Role* role = AWS_TRY(find_role(world, params));
  if (!profile->roles.empty())
    return deny("LimitExceeded", "Cannot exceed quota for InstanceSessionsPerInstanceProfile: 1", 409);
  profile->roles.push_back(role->name);
  return {};
}

Outcome<void> remove_role(World& world, const Params& params, Xml&) {
  InstanceProfile* profile = AWS_TRY(find_profile(world, params));
  const Role* role = AWS_TRY(find_role(world, params));
  if (std::erase(profile->roles, role->name) == 0) return no_such("Role", role->name);
  return {};
}

Outcome<void> tag_profile(World& world, const Params& params, Xml&) {
  InstanceProfile* profile = AWS_TRY(find_profile(world, params));
  Tags tags = params.tags("Tags.member");
  AWS_TRY(ec2::check_tags(tags));
  for (const auto& [key, value] : tags) profile->tags[key] = value;
  return {};
}

Outcome<void> list_profiles(World& world, const Params& params, Xml& out) {
  std::string_view prefix = params.get("PathPrefix");
  std::vector<std::string> names;
  for (const auto& [name, profile] : world.profiles)
    if (profile.path.starts_with(prefix)) names.push_back(name);
  PageRequest request{.token = params.get("Marker"), .max_results = 0, .limit = kProfilesPerPage};
  request.max_results = AWS_TRY(params.integer("MaxItems", kProfilesPerPage));
  if (request.max_results < 1) return deny("ValidationError", "MaxItems must be at least 1");
  Page page = AWS_TRY(page_of(names, request));
  out.element("InstanceProfiles", [&] {
    for (size_t i = page.begin; i < page.end; ++i)
      out.element("member", [&] { write_profile(world, world.profiles.at(names[i]), out); });
  });
  out.boolean("IsTruncated", !page.next_token.empty());
  if (!page.next_token.empty()) out.text("Marker", page.next_token);
  return {};
}

Outcome<void> create_role(World& world, const Params& params, Xml& out) {
  Role role{std::string(params.get("RoleName")), "AROA" + world.new_id(""), world.runtime.now()};
  role.trust_policy = params.get("AssumeRolePolicyDocument");
  if (role.name.empty() || role.trust_policy.empty())
    return deny("ValidationError", "RoleName and AssumeRolePolicyDocument must not be empty.");
  if (world.roles.contains(role.name))
    return deny("EntityAlreadyExists", "Role with name " + role.name + " already exists.", 409);
  world.roles.emplace(role.name, role);
  out.element("Role", [&] { write_role(world, role, out); });
  return {};
}

Outcome<void> get_role(World& world, const Params& params, Xml& out) {
  const Role* role = AWS_TRY(find_role(world, params));
  out.element("Role", [&] { write_role(world, *role, out); });
  return {};
}

}  // namespace

Outcome<void> perform_iam(World& world, std::string_view action, const Params& params, Xml& out) {
  using Action = Outcome<void> (*)(World&, const Params&, Xml&);
  static const std::map<std::string_view, Action> kActions{{"AddRoleToInstanceProfile", add_role},
                                                           {"CreateInstanceProfile", create_profile},
                                                           {"CreateRole", create_role},
                                                           {"DeleteInstanceProfile", delete_profile},
                                                           {"GetInstanceProfile", get_profile},
                                                           {"GetRole", get_role},
                                                           {"ListInstanceProfiles", list_profiles},
                                                           {"RemoveRoleFromInstanceProfile", remove_role},
                                                           {"TagInstanceProfile", tag_profile}};
  auto found = kActions.find(action);
  if (found == kActions.end())
    return deny("InvalidAction", "Could not find operation " + std::string(action) + " for version 2010-05-08");
  std::lock_guard lock(world.mutex);
  return found->second(world, params, out);
}

}  // namespace tenon::awssim
