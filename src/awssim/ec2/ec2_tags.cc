// CreateTags and DeleteTags, for instances, launch templates, subnets, security groups and images.
// SPDX-License-Identifier: Apache-2.0
#include "awssim/ec2/ec2.h"
#include "awssim/ec2/launch.h"

namespace tenon::awssim::ec2 {
namespace {

// Calls change(tags) with the tags of a resource; returns false if no resource has that id.
template <class Change>
bool with_tags(World& world, const std::string& id, Change change) {
  if (Instance* instance = world.instance(id)) {
    Tags tags(instance->tags.begin(), instance->tags.end());
    change(tags);
    instance->tags = {tags.begin(), tags.end()};
    return true;
  }
  if (auto found = world.launch_templates.find(id); found != world.launch_templates.end()) {
    change(found->second.tags);
    return true;
  }
  if (auto found = world.images.find(id); found != world.images.end()) {
    change(found->second.tags);
    return true;
  }
  if (Subnet* subnet = world.subnet(id)) {
    change(subnet->tags);
    return true;
  }
  for (SecurityGroup& group : world.security_groups) {
    if (group.id != id) continue;
    change(group.tags);
    return true;
  }
  return false;
}

// Checks that all resources of the request exist, so that a failing request changes nothing.
Outcome<std::vector<std::string>> existing_resources(World& world, const Params& params) {
  auto ids = params.list("ResourceId");
  if (ids.empty()) return deny("MissingParameter", "The request must contain the parameter ResourceId");
  for (const std::string& id : ids) {
    if (with_tags(world, id, [](Tags&) {})) continue;
    if (id.starts_with("i-")) return deny("InvalidInstanceID.NotFound", "The instance ID '" + id + "' does not exist");
    return deny("InvalidID", "The ID '" + id + "' is not valid");
  }
  return ids;
}

}  // namespace

Outcome<void> create_tags(World& world, const Params& params, Xml& out) {
  Instant now = world.runtime.now();
  std::lock_guard lock(world.mutex);
  world.settle(now);
  auto ids = AWS_TRY(existing_resources(world, params));
  Tags added = params.tags("Tag");
  if (added.empty()) return deny("MissingParameter", "The request must contain the parameter Tag");
  AWS_TRY(check_tags(added));
  if (params.flag("DryRun")) return dry_run_succeeded();
  for (const std::string& id : ids)
    with_tags(world, id, [&](Tags& tags) {
      for (const auto& [key, value] : added) tags[key] = value;
    });
  out.boolean("return", true);
  return {};
}

Outcome<void> delete_tags(World& world, const Params& params, Xml& out) {
  Instant now = world.runtime.now();
  std::lock_guard lock(world.mutex);
  world.settle(now);
  auto ids = AWS_TRY(existing_resources(world, params));
  auto removed = params.structs("Tag");
  if (params.flag("DryRun")) return dry_run_succeeded();
  for (const std::string& id : ids)
    with_tags(world, id, [&](Tags& tags) {
      for (const Params& tag : removed) {
        auto found = tags.find(tag.get("Key"));
        // With a value given, only a tag with that value is deleted.
        if (found != tags.end() && (!tag.has("Value") || tag.get("Value") == found->second)) tags.erase(found);
      }
    });
  out.boolean("return", true);
  return {};
}

}  // namespace tenon::awssim::ec2
