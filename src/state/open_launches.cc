// SPDX-License-Identifier: Apache-2.0
#include "state/open_launches.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "base/text.h"
#include "model/labels.h"
#include "model/requirement.h"
#include "state/limits.h"
#include "state/pod_order.h"

namespace tenon::state {
namespace {

using scheduling::NodeView;
using scheduling::PodPtr;
using scheduling::Snapshot;

// Emptiness must not remove a node that kube-scheduler has just learned of.
constexpr Duration kBindTime = 20s;

bool open(const NodeView& view) {
  return view.claim && !view.node && view.claim->provider_id.empty() && !view.claim->meta.deleting();
}

bool boots(const NodeView& view) { return view.claim && !view.initialized() && !view.deleting(); }
bool is_new(const NodeView& view, Instant now) {
  const auto* initialized = view.claim ? model::find_condition(view.claim->conditions, model::kInitialized) : nullptr;
  return initialized && initialized->status == "True" && now - initialized->last_transition < kBindTime;
}

std::string_view note_on(const NodeView& view) { return model::lookup(view.claim->meta.annotations, kAnnotationPods); }

// Adds only the labels that are certain: those for which the requirements allow one value.
model::NodeClaim expected(const model::NodeClaim& claim, const scheduling::PoolView* pool) {
  model::NodeClaim after = claim;
  if (const auto requirements = model::Requirements::make(claim.requirements)) {
    for (const auto& [key, value] : requirements->single_values()) after.meta.labels.try_emplace(key, value);
  }
  after.allocatable = claim.requests;
  after.capacity = pool && pool->types ? most(claim, *pool->types) : claim.requests;
  return after;
}

// Moves pods to the nodes of `place`, by pod key.
class Mover {
 public:
  explicit Mover(std::map<std::string, NodeView*, std::less<>> place) : place_(std::move(place)) {}

  void take_from(std::vector<PodPtr>& pods) {
    std::erase_if(pods, [&](const PodPtr& pod) {
      // Pods of buffers are scheduled again each time, within the claim's requests for them.
      const bool stays = pod->meta.deleting() || !pod->spec->buffer.empty();
      const auto at = stays ? place_.end() : place_.find(pod->key());
      if (at == place_.end()) return false;
      moved_[at->second].push_back(pod);
      return true;
    });
  }
  void put() {
    for (auto& [view, pods] : moved_) {
      std::vector<PodPtr>& there = view->pods.edit();
      there.insert(there.end(), pods.begin(), pods.end());
      std::sort(there.begin(), there.end(), before);
    }
  }

 private:
  const std::map<std::string, NodeView*, std::less<>> place_;
  std::map<NodeView*, std::vector<PodPtr>> moved_;
};

}  // namespace

void note_pods(const std::vector<std::string>& pods, model::NodeClaim& claim) {
  std::string note;
  for (const std::string& pod : pods) {
    if (note.size() + pod.size() >= kMaxPodsNoteBytes) break;
    note += (note.empty() ? "" : ",") + pod;
  }
  if (!note.empty()) claim.meta.annotations[std::string(kAnnotationPods)] = note;
}

void expect_open_launches(Snapshot& snapshot) {
  std::map<std::string, NodeView*, std::less<>> place;
  for (NodeView& view : snapshot.nodes) {
    if (is_new(view, snapshot.now)) view.nominated = true;
    if (!boots(view)) continue;
    for (const std::string_view pod : split(note_on(view), ',')) {
      if (!pod.empty()) place.emplace(pod, &view);
    }
    if (!open(view)) continue;
    view.claim = std::make_shared<const model::NodeClaim>(expected(*view.claim, snapshot.pool(view.claim->pool())));
  }
  if (place.empty()) return;
  Mover mover(std::move(place));
  mover.take_from(snapshot.pending);
  for (NodeView& view : snapshot.nodes) {
    if (view.deleting()) mover.take_from(view.pods.edit());
  }
  mover.put();
}

}  // namespace tenon::state
