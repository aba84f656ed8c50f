// SPDX-License-Identifier: Apache-2.0
#include "aws/iam.h"

#include <pugixml.hpp>

namespace tenon::aws {
namespace {

constexpr std::string_view kIamVersion = "2010-05-08";
constexpr int kMaxProfilePages = 1000;

InstanceProfile read_profile(const pugi::xml_node& node) {
  InstanceProfile profile;
  profile.name = text_at(node, "InstanceProfileName");
  profile.path = text_at(node, "Path");
  profile.arn = text_at(node, "Arn");
  for (const pugi::xml_node role : node.child("Roles")) profile.roles.push_back(text_at(role, "RoleName"));
  profile.tags = tags_at(node, "Tags");
  return profile;
}

Form profile_form(std::string_view action, const std::string& name) {
  Form form(action, kIamVersion);
  form.set("InstanceProfileName", std::string_view(name));
  return form;
}

}  // namespace

Result<InstanceProfile> Iam::get_instance_profile(const std::string& name, const std::stop_token& stop) {
  const XmlReply reply = TRY(query(client_, kIam, profile_form("GetInstanceProfile", name), stop));
  return read_profile(reply.root().child("GetInstanceProfileResult").child("InstanceProfile"));
}

Result<InstanceProfile> Iam::create_instance_profile(const InstanceProfileInput& input, const std::stop_token& stop) {
  Form form = profile_form("CreateInstanceProfile", input.name);
  form.set("Path", std::string_view(input.path)).tags("Tags.member", input.tags);
  const XmlReply reply = TRY(query(client_, kIam, form, stop));
  return read_profile(reply.root().child("CreateInstanceProfileResult").child("InstanceProfile"));
}

Status Iam::add_role(const std::string& profile, const std::string& role, const std::stop_token& stop) {
  Form form = profile_form("AddRoleToInstanceProfile", profile);
  form.set("RoleName", std::string_view(role));
  TRY(query(client_, kIam, form, stop));
  return ok();
}

Status Iam::remove_role(const std::string& profile, const std::string& role, const std::stop_token& stop) {
  Form form = profile_form("RemoveRoleFromInstanceProfile", profile);
  form.set("RoleName", std::string_view(role));
  TRY(query(client_, kIam, form, stop));
  return ok();
}

Status Iam::delete_instance_profile(const std::string& name, const std::stop_token& stop) {
  TRY(query(client_, kIam, profile_form("DeleteInstanceProfile", name), stop));
  return ok();
}

Result<std::vector<InstanceProfile>> Iam::list_instance_profiles(const std::string& path_prefix,
                                                                 const std::stop_token& stop) {
  std::vector<InstanceProfile> profiles;
  std::string marker;
  for (int page = 0; page < kMaxProfilePages; ++page) {
    Form form("ListInstanceProfiles", kIamVersion);
    form.set("PathPrefix", std::string_view(path_prefix)).set("Marker", std::string_view(marker));
    const XmlReply reply = TRY(query(client_, kIam, form, stop));
    const pugi::xml_node result = reply.root().child("ListInstanceProfilesResult");
    for (const pugi::xml_node node : result.child("InstanceProfiles")) profiles.push_back(read_profile(node));
    if (!bool_at(result, "IsTruncated")) return profiles;
    marker = text_at(result, "Marker");
  }
  return fail(Code::kInternal, "iam ListInstanceProfiles: more than 1000 pages");
}

}  // namespace tenon::aws
