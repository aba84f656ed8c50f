// SPDX-License-Identifier: Apache-2.0
#include "state/promised_room.h"

#include <algorithm>

#include "state/pod_order.h"

namespace tenon::state {
namespace {

using scheduling::NodeView;
using scheduling::PodPtr;

struct Promised {
  PodPtr pod;
  NodeView* to = nullptr;
};

NodeView* find(scheduling::Snapshot& snapshot, const std::string& name) {
  const auto at = std::find_if(snapshot.nodes.begin(), snapshot.nodes.end(), [&](const NodeView& view) {
    return view.name() == name || (view.claim && view.claim->meta.name == name);
  });
  return at == snapshot.nodes.end() || at->deleting() ? nullptr : &*at;
}

// Until the promised node is initialized, the pod is already counted on it (open_launches.h).
bool is_on_its_way(scheduling::Snapshot& snapshot, const std::string& pod, const std::string& node) {
  const NodeView* to = find(snapshot, node);
  return to != nullptr && !to->initialized() &&
         std::any_of(to->pods.begin(), to->pods.end(), [&](const PodPtr& p) { return p->key() == pod; });
}

}  // namespace

void PromisedRoom::promise(const std::string& node, const std::vector<std::string>& pods) {
  const std::lock_guard lock(mutex_);
  for (const std::string& pod : pods) node_by_pod_[pod] = node;
}

std::set<std::string> PromisedRoom::keep(scheduling::Snapshot& snapshot) {
  const std::lock_guard lock(mutex_);
  if (node_by_pod_.empty()) return {};
  std::map<std::string, Promised> kept;
  for (NodeView& view : snapshot.nodes) {
    if (!view.deleting()) continue;
    std::erase_if(view.pods.edit(), [&](const PodPtr& pod) {
      const auto at = node_by_pod_.find(pod->key());
      NodeView* to = at == node_by_pod_.end() || pod->meta.deleting() ? nullptr : find(snapshot, at->second);
      if (to != nullptr) kept[at->first] = {pod, to};
      return to != nullptr;
    });
  }
  std::erase_if(node_by_pod_, [&](const auto& entry) {
    return !kept.contains(entry.first) && !is_on_its_way(snapshot, entry.first, entry.second);
  });
  std::set<std::string> names;
  for (auto& [key, promised] : kept) {
    promised.to->pods.edit().push_back(std::move(promised.pod));
    names.insert(promised.to->name());
  }
  for (NodeView& view : snapshot.nodes) {
    if (!names.contains(view.name())) continue;
    std::vector<PodPtr>& pods = view.pods.edit();
    std::sort(pods.begin(), pods.end(), before);
  }
  return names;
}

}  // namespace tenon::state
