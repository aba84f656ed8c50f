// The workload controllers' cache of the cluster: every object that they read, indexed. Owned by one actor. It is as
// new as the last update(); the controllers' own writes arrive through the watches.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kubesim/actors/inbox.h"
#include "kubesim/actors/kinds.h"
#include "kubesim/actors/objects.h"

namespace tenon::kubesim {

class View {
 public:
  View(runtime::Runtime& runtime, Api& api);

  // Takes all watch events; calls `changed` for each, with the last state (null if new) and the new one (null if
  // deleted).
  using Changed = std::function<void(const Resource&, const Object& before, const Object& after)>;
  void update(const Changed& changed);
  Inbox& inbox() { return inbox_; }

  Object get(const Resource& resource, const ObjectKey& key) const;
  const std::map<ObjectKey, Object>& all(const Resource& resource) const;
  // Returns the objects whose controller is `owner_uid`, by key.
  std::vector<Object> controlled(const Resource& resource, std::string_view owner_uid) const;
  // Returns the pods that are bound to the node.
  std::vector<Object> pods_on(std::string_view node) const;
  std::set<std::string, std::less<>> nodes_with_pods() const;
  // Returns the objects of one namespace, by name.
  std::vector<Object> in_namespace(const Resource& resource, std::string_view ns) const;

 private:
  struct Table {
    std::map<ObjectKey, Object> objects;
    std::map<std::string, std::set<ObjectKey>, std::less<>> by_owner;
  };
  void index(const Resource& resource, Table& table, const ObjectKey& key, const Object& object, bool add);

  std::vector<Resource> resources_;
  Inbox inbox_;
  std::map<Resource, Table> tables_;
  std::map<std::string, std::set<ObjectKey>, std::less<>> pods_by_node_;
};

}  // namespace tenon::kubesim
