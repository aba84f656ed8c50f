// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/show/discovery.h"

#include "json/json.h"

namespace tenon::kubesim::apiserver {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

array strings(const auto& texts) {
  array result;
  for (const auto& text : texts) result.emplace_back(std::string_view(text));
  return result;
}

object group_version(std::string_view group, std::string_view version) {
  return {{"groupVersion", std::string(group) + "/" + std::string(version)}, {"version", version}};
}

object group_entry(const Registry::Group& group) {
  array versions;
  for (const std::string& version : group.versions) versions.push_back(group_version(group.name, version));
  return {{"name", group.name},
          {"versions", std::move(versions)},
          {"preferredVersion", group_version(group.name, group.versions.front())}};
}

// Verbs of custom resources have a different order.
// parity: apiextensions-apiserver/pkg/apiserver/customresource_discovery_controller.go
array verbs_of(const ResourceInfo& info) {
  if (!info.custom) return strings(Verbs::names(info.verbs));
  return {"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"};
}

object resource_entry(const ResourceInfo& info) {
  object entry{{"name", info.plural},
               {"singularName", info.singular},
               {"namespaced", info.namespaced},
               {"kind", info.kind},
               {"verbs", verbs_of(info)}};
  if (!info.short_names.empty()) entry["shortNames"] = strings(info.short_names);
  if (!info.categories.empty()) entry["categories"] = strings(info.categories);
  return entry;
}

object subresource_entry(const ResourceInfo& info, const Subresource& sub) {
  object entry{{"name", info.plural + "/" + sub.name}, {"singularName", ""}, {"namespaced", info.namespaced}};
  if (!sub.group.empty()) entry["group"] = sub.group;
  if (!sub.version.empty() && !sub.group.empty()) entry["version"] = sub.version;
  entry["kind"] = sub.kind.empty() ? info.kind : sub.kind;
  entry["verbs"] = strings(Verbs::names(sub.verbs));
  return entry;
}

object kind_entry(std::string_view group, std::string_view version, std::string_view kind) {
  return {{"group", group}, {"version", version}, {"kind", kind}};
}

// Built-in kinds omit their group and version if these equal those of the enclosing entry.
object own_kind(const ResourceInfo& info) {
  return info.custom ? kind_entry(info.group, info.version, info.kind) : kind_entry("", "", info.kind);
}

object aggregated_resource(const ResourceInfo& info) {
  object entry{{"resource", info.plural},
               {"responseKind", own_kind(info)},
               {"scope", info.namespaced ? "Namespaced" : "Cluster"},
               {"singularResource", info.singular},
               {"verbs", verbs_of(info)}};
  if (!info.short_names.empty()) entry["shortNames"] = strings(info.short_names);
  if (!info.categories.empty()) entry["categories"] = strings(info.categories);
  array subresources;
  for (const Subresource& sub : info.subresources) {
    const bool own = sub.kind.empty() || sub.group == info.group;
    subresources.push_back(object{{"subresource", sub.name},
                                  {"responseKind", sub.kind.empty() ? own_kind(info)
                                                   : own            ? kind_entry("", "", sub.kind)
                                                                    : kind_entry(sub.group, sub.version, sub.kind)},
                                  {"verbs", strings(Verbs::names(sub.verbs))}});
  }
  if (!subresources.empty()) entry["subresources"] = std::move(subresources);
  return entry;
}

object aggregated_group(const Registry& registry, const Registry::Group& group) {
  array versions;
  for (const std::string& version : group.versions) {
    array resources;
    for (const InfoPtr& info : registry.of(group.name, version)) resources.push_back(aggregated_resource(*info));
    versions.push_back(object{{"version", version}, {"resources", std::move(resources)}, {"freshness", "Current"}});
  }
  object metadata;
  if (!group.name.empty()) metadata["name"] = group.name;
  return {{"metadata", std::move(metadata)}, {"versions", std::move(versions)}};
}

}  // namespace

value api_versions(std::string_view server_address) {
  array addresses;
  addresses.push_back(object{{"clientCIDR", "0.0.0.0/0"}, {"serverAddress", server_address}});
  return object{
      {"kind", "APIVersions"}, {"versions", array{"v1"}}, {"serverAddressByClientCIDRs", std::move(addresses)}};
}

value api_group_list(const Registry& registry) {
  array groups;
  for (const Registry::Group& group : registry.groups()) groups.push_back(group_entry(group));
  return object{{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", std::move(groups)}};
}

value api_group(const Registry& registry, std::string_view name) {
  for (const Registry::Group& group : registry.groups()) {
    if (group.name != name) continue;
    object entry{{"kind", "APIGroup"}, {"apiVersion", "v1"}};
    for (const auto& member : group_entry(group)) entry[member.key()] = member.value();
    return entry;
  }
  return nullptr;
}

value api_resource_list(const Registry& registry, std::string_view group, std::string_view version) {
  const std::vector<InfoPtr> infos = registry.of(group, version);
  if (infos.empty()) return nullptr;
  array resources;
  for (const InfoPtr& info : infos) {
    resources.push_back(resource_entry(*info));
    for (const Subresource& sub : info->subresources) resources.push_back(subresource_entry(*info, sub));
  }
  object list{{"kind", "APIResourceList"}};
  if (!group.empty()) list["apiVersion"] = "v1";
  list["groupVersion"] = infos.front()->api_version();
  list["resources"] = std::move(resources);
  return list;
}

value aggregated_discovery(const Registry& registry, bool core, std::string_view version) {
  array items;
  if (core) {
    items.push_back(aggregated_group(registry, {"", {"v1"}}));
  } else {
    for (const Registry::Group& group : registry.groups()) items.push_back(aggregated_group(registry, group));
  }
  return object{{"kind", "APIGroupDiscoveryList"},
                {"apiVersion", "apidiscovery.k8s.io/" + std::string(version)},
                {"metadata", object()},
                {"items", std::move(items)}};
}

}  // namespace tenon::kubesim::apiserver
