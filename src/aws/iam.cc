// SPDX-License-Identifier: Apache-2.0
#include "aws/iam.h"

#include <functional>
#include <pugixml.hpp>

#include "base/text.h"

namespace tenon::aws {
namespace {

constexpr std::string_view kIamVersion = "2010-05-08";
constexpr int kMaxPages = 1000;

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

Form role_form(std::string_view action, const std::string& role) {
  Form form(action, kIamVersion);
  form.set("RoleName", std::string_view(role));
  return form;
}

// Calls `on_page` with the result element of each page.
Status each_page(Client& client, const std::string& action, const Form& first, const std::stop_token& stop,
                 const std::function<void(const pugi::xml_node&)>& on_page) {
  std::string marker;
  for (int page = 0; page < kMaxPages; ++page) {
    Form form = first;
    form.set("Marker", std::string_view(marker));
    const XmlReply reply = TRY(query(client, kIam, form, stop));
    const pugi::xml_node result = reply.root().child((action + "Result").c_str());
    on_page(result);
    if (!bool_at(result, "IsTruncated")) return ok();
    marker = text_at(result, "Marker");
  }
  return fail(Code::kInternal, "iam " + action + ": more than " + std::to_string(kMaxPages) + " pages");
}

Result<std::string> attached_policy(Client& client, const std::string& arn, const std::stop_token& stop) {
  Form form("GetPolicy", kIamVersion);
  form.set("PolicyArn", std::string_view(arn));
  const XmlReply policy = TRY(query(client, kIam, form, stop));
  Form version("GetPolicyVersion", kIamVersion);
  version.set("PolicyArn", std::string_view(arn));
  version.set("VersionId",
              std::string_view(text_at(policy.root().child("GetPolicyResult").child("Policy"), "DefaultVersionId")));
  const XmlReply reply = TRY(query(client, kIam, version, stop));
  return percent_decode(text_at(reply.root().child("GetPolicyVersionResult").child("PolicyVersion"), "Document"));
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
  Form form("ListInstanceProfiles", kIamVersion);
  form.set("PathPrefix", std::string_view(path_prefix));
  TRY(each_page(client_, "ListInstanceProfiles", form, stop, [&](const pugi::xml_node& page) {
    for (const pugi::xml_node node : page.child("InstanceProfiles")) profiles.push_back(read_profile(node));
  }));
  return profiles;
}

Result<RolePolicies> Iam::role_policies(const std::string& role, const std::stop_token& stop) {
  RolePolicies policies;
  const XmlReply found = TRY(query(client_, kIam, role_form("GetRole", role), stop));
  policies.bounded = !found.root().child("GetRoleResult").child("Role").child("PermissionsBoundary").empty();
  std::vector<std::string> attached, inlined;
  TRY(each_page(client_, "ListAttachedRolePolicies", role_form("ListAttachedRolePolicies", role), stop,
                [&](const pugi::xml_node& page) {
                  for (const pugi::xml_node policy : page.child("AttachedPolicies"))
                    attached.push_back(text_at(policy, "PolicyArn"));
                }));
  TRY(each_page(client_, "ListRolePolicies", role_form("ListRolePolicies", role), stop,
                [&](const pugi::xml_node& page) {
                  for (const pugi::xml_node name : page.child("PolicyNames")) inlined.emplace_back(name.text().get());
                }));
  for (const std::string& arn : attached) policies.documents.push_back(TRY(attached_policy(client_, arn, stop)));
  for (const std::string& name : inlined) {
    Form form = role_form("GetRolePolicy", role);
    form.set("PolicyName", std::string_view(name));
    const XmlReply reply = TRY(query(client_, kIam, form, stop));
    policies.documents.push_back(percent_decode(text_at(reply.root().child("GetRolePolicyResult"), "PolicyDocument")));
  }
  return policies;
}

}  // namespace tenon::aws
