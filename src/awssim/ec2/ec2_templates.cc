// Launch templates. Each has one version, from its creation.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "awssim/ec2/ec2.h"
#include "awssim/ec2/launch.h"
#include "base/text.h"

namespace tenon::awssim::ec2 {
namespace {

constexpr int64_t kTemplatesPerPage = 200;
constexpr size_t kMinNameLength = 3, kMaxNameLength = 128;

bool is_template_name(std::string_view name) {
  constexpr std::string_view kAlso = "().-/_";
  return name.size() >= kMinNameLength && name.size() <= kMaxNameLength &&
         std::all_of(name.begin(), name.end(), [&](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  kAlso.find(c) != kAlso.npos;
         });
}

Outcome<void> check_user_data(const Params& data) {
  std::string decoded;
  if (!base64_decode(data.get("UserData"), decoded))
    return deny("InvalidUserData.Malformed", "Invalid BASE64 encoding of user data.");
  if (decoded.size() > kMaxUserDataBytes)
    return deny("InvalidUserData.Malformed", "User data is limited to " + std::to_string(kMaxUserDataBytes) + " bytes");
  return {};
}

void write_template(const World& world, const LaunchTemplate& t, Xml& out) {
  out.text("launchTemplateId", t.id).text("launchTemplateName", t.name).time("createTime", t.created_at);
  out.text("createdBy", world.arn("iam", "root")).number("defaultVersionNumber", 1).number("latestVersionNumber", 1);
  out.tags(t.tags);
}

Attribute template_attributes(const LaunchTemplate& t) {
  return [&](std::string_view name) -> Values {
    if (name == "launch-template-name") return only(t.name);
    if (name == "create-time") return only(aws_time(t.created_at));
    return std::nullopt;
  };
}

const LaunchTemplate* find_by_name(const World& world, std::string_view name) {
  for (const auto& [id, t] : world.launch_templates)
    if (t.name == name) return &t;
  return nullptr;
}

}  // namespace

Outcome<void> create_launch_template(World& world, const Params& params, Xml& out) {
  Instant now = world.runtime.now();
  std::lock_guard lock(world.mutex);
  if (auto answer = AWS_TRY(world.recall("CreateLaunchTemplate", params, now))) {
    out.raw(*answer);
    return {};
  }
  std::string name(params.get("LaunchTemplateName"));
  if (!is_template_name(name))
    return deny(
        "InvalidLaunchTemplateName.MalformedException",
        "A launch template name must be between 3 and 128 characters, and may contain letters, numbers, and the "
        "following characters: ( ) . - / _.");
  Params data = params.sub("LaunchTemplateData");
  if (data.empty()) return deny("MissingParameter", "The request must contain the parameter LaunchTemplateData");
  AWS_TRY(check_user_data(data));
  if (find_by_name(world, name))
    return deny("InvalidLaunchTemplateName.AlreadyExistsException", "Launch template name already in use.");
  Tags tags = AWS_TRY(tags_for(params, "launch-template"));
  if (params.flag("DryRun")) return dry_run_succeeded();
  LaunchTemplate t{world.new_id("lt-"), name, now, tags, data};
  Xml answer;
  answer.element("launchTemplate", [&] { write_template(world, t, answer); });
  world.launch_templates.emplace(t.id, t);
  world.remember("CreateLaunchTemplate", params, answer.str(), now);
  out.raw(answer.str());
  return {};
}

Outcome<void> describe_launch_templates(World& world, const Params& params, Xml& out) {
  std::lock_guard lock(world.mutex);
  auto names = params.list("LaunchTemplateName");
  auto ids = params.list("LaunchTemplateId");
  for (const std::string& name : names)
    if (!find_by_name(world, name))
      return deny("InvalidLaunchTemplateName.NotFoundException",
                  "At least one of the launch templates specified in the request does not exist.");
  for (const std::string& id : ids)
    if (!world.launch_templates.contains(id))
      return deny("InvalidLaunchTemplateId.NotFound",
                  "The specified launch template, with template ID " + id + ", does not exist.");
  auto filters = filters_of(params);
  std::vector<std::pair<std::string, const LaunchTemplate*>> found;
  for (const auto& [id, t] : world.launch_templates) {
    bool named = std::find(names.begin(), names.end(), t.name) != names.end() ||
                 std::find(ids.begin(), ids.end(), id) != ids.end();
    if ((!names.empty() || !ids.empty()) && !named) continue;
    if (AWS_TRY(passes(filters, t.tags, template_attributes(t)))) found.emplace_back(id, &t);
  }
  return write_page(out, "launchTemplates", std::move(found), AWS_TRY(page_request(params, kTemplatesPerPage)),
                    [&](const LaunchTemplate* t) { write_template(world, *t, out); });
}

Outcome<void> delete_launch_template(World& world, const Params& params, Xml& out) {
  std::lock_guard lock(world.mutex);
  const LaunchTemplate* found =
      AWS_TRY(world.launch_template(params.get("LaunchTemplateId"), params.get("LaunchTemplateName")));
  if (params.flag("DryRun")) return dry_run_succeeded();
  out.element("launchTemplate", [&] { write_template(world, *found, out); });
  world.launch_templates.erase(std::string(found->id));
  return {};
}

}  // namespace tenon::awssim::ec2
