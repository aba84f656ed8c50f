// SPDX-License-Identifier: Apache-2.0
#include "model/pod.h"

#include <algorithm>

namespace tenon::model {
namespace {

bool owned_by(const ObjectMeta& meta, std::string_view kind) {
  return std::any_of(meta.owners.begin(), meta.owners.end(), [&](const OwnerReference& o) { return o.kind == kind; });
}

}  // namespace

std::string Pod::key() const {
  std::string key;
  key.reserve(meta.ns.size() + 1 + meta.name.size());  // one allocation: a solution lists the keys of a million pods
  key += meta.ns;
  key += '/';
  key += meta.name;
  return key;
}

const OwnerReference* Pod::controller() const {
  const auto at =
      std::find_if(meta.owners.begin(), meta.owners.end(), [](const OwnerReference& o) { return o.controller; });
  return at == meta.owners.end() ? nullptr : &*at;
}

bool Pod::owned_by_daemon_set() const { return owned_by(meta, "DaemonSet"); }
bool Pod::owned_by_node() const { return owned_by(meta, "Node"); }

bool Pod::provisionable() const {
  const Condition* scheduled = find_condition(conditions, "PodScheduled");
  return scheduled != nullptr && scheduled->reason == "Unschedulable" && node_name.empty() &&
         nominated_node_name.empty() && !owned_by_daemon_set() && !owned_by_node();
}

}  // namespace tenon::model
