// SPDX-License-Identifier: Apache-2.0
#include "kubesim/workloads/view.h"

#include "json/json.h"

namespace tenon::kubesim {
namespace {

const std::vector<Resource>& watched() {
  static const std::vector<Resource> list{kNodes,   kDeployments, kReplicaSets, kDaemonSets,     kStatefulSets, kJobs,
                                          kBudgets, kClaims,      kVolumes,     kStorageClasses, kPods};
  return list;
}

}  // namespace

View::View(runtime::Runtime& runtime, Api& api) : resources_(watched()), inbox_(runtime, api, resources_) {
  for (const Resource& resource : resources_) tables_[resource];
}

void View::index(const Resource& resource, Table& table, const ObjectKey& key, const Object& object, bool add) {
  const auto put = [&](auto& map, std::string_view at) {
    if (at.empty()) return;
    if (add) {
      map[std::string(at)].insert(key);
      return;
    }
    const auto found = map.find(at);
    if (found == map.end()) return;
    found->second.erase(key);
    if (found->second.empty()) map.erase(found);
  };
  put(table.by_owner, controller_uid(*object));
  if (resource == kPods) put(pods_by_node_, node_name_of(*object));
}

void View::update(const Changed& changed) {
  for (size_t i = 0; i < resources_.size(); ++i) {
    const Resource& resource = resources_[i];
    Table& table = tables_.at(resource);
    for (const WatchEvent& event : inbox_.take(i)) {
      const ObjectKey key = key_of(*event.object);
      Object before;
      if (const auto at = table.objects.find(key); at != table.objects.end()) {
        before = at->second;
        index(resource, table, key, before, false);
        table.objects.erase(at);
      }
      const Object after = event.type == WatchEvent::Type::kDeleted ? nullptr : event.object;
      if (after != nullptr) {
        table.objects.emplace(key, after);
        index(resource, table, key, after, true);
      }
      if (before != nullptr || after != nullptr) changed(resource, before, after);
    }
  }
}

Object View::get(const Resource& resource, const ObjectKey& key) const {
  const auto& objects = tables_.at(resource).objects;
  const auto at = objects.find(key);
  return at == objects.end() ? nullptr : at->second;
}

const std::map<ObjectKey, Object>& View::all(const Resource& resource) const { return tables_.at(resource).objects; }

std::vector<Object> View::controlled(const Resource& resource, std::string_view owner_uid) const {
  std::vector<Object> found;
  const Table& table = tables_.at(resource);
  const auto at = table.by_owner.find(owner_uid);
  if (at == table.by_owner.end()) return found;
  for (const ObjectKey& key : at->second) found.push_back(table.objects.at(key));
  return found;
}

std::vector<Object> View::pods_on(std::string_view node) const {
  std::vector<Object> found;
  const auto at = pods_by_node_.find(node);
  if (at == pods_by_node_.end()) return found;
  for (const ObjectKey& key : at->second) found.push_back(get(kPods, key));
  return found;
}

std::set<std::string, std::less<>> View::nodes_with_pods() const {
  std::set<std::string, std::less<>> names;
  for (const auto& [name, pods] : pods_by_node_) names.insert(name);
  return names;
}

std::vector<Object> View::in_namespace(const Resource& resource, std::string_view ns) const {
  std::vector<Object> found;
  const auto& objects = tables_.at(resource).objects;
  for (auto at = objects.lower_bound({std::string(ns), ""}); at != objects.end() && at->first.ns == ns; ++at)
    found.push_back(at->second);
  return found;
}

}  // namespace tenon::kubesim
