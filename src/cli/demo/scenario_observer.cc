// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/scenario_observer.h"

#include <algorithm>

#include "base/text.h"
#include "json/json.h"
#include "model/generations.h"
#include "model/labels.h"
#include "model/node_claim.h"

namespace tenon::cli {
namespace {

using json::value;
using kubesim::Object;
using kubesim::WatchEvent;

std::string key_of(const value& object) {
  return std::string(json::string_at(object, {"metadata", "namespace"})) + "/" +
         std::string(json::string_at(object, {"metadata", "name"}));
}

bool condition_true(const value& object, std::string_view type) {
  for (const value& c : json::array_at(object, {"status", "conditions"})) {
    if (json::string_at(c, {"type"}) == type) return json::string_at(c, {"status"}) == "True";
  }
  return false;
}

std::string drift_reason(const value& claim) {
  for (const value& c : json::array_at(claim, {"status", "conditions"})) {
    const bool drifted = json::string_at(c, {"type"}) == model::kDrifted && json::string_at(c, {"status"}) == "True";
    if (drifted) return std::string(json::string_at(c, {"reason"}));
  }
  return "";
}

bool owned_by_daemon_set(const value& pod) {
  for (const value& owner : json::array_at(pod, {"metadata", "ownerReferences"})) {
    if (json::string_at(owner, {"kind"}) == "DaemonSet") return true;
  }
  return false;
}

bool running(const value& pod) { return json::string_at(pod, {"status", "phase"}) == "Running"; }
bool deleting(const value& object) { return json::find(object, {"metadata", "deletionTimestamp"}) != nullptr; }

// Returns the parts of an object that count as a change: no heartbeats, versions or bookkeeping.
std::string digest(const value& object) {
  std::string out;
  for (const auto path : {"labels", "finalizers", "deletionTimestamp"}) {
    if (const value* at = json::find(object, {"metadata", path})) out += json::to_string(*at);
  }
  if (const value* spec = json::find(object, {"spec"})) out += json::to_string(*spec);
  out += json::string_at(object, {"status", "phase"});
  for (const value& c : json::array_at(object, {"status", "conditions"})) {
    out += std::string(json::string_at(c, {"type"})) + "=" + std::string(json::string_at(c, {"status"})) + ";";
  }
  return out;
}

// Applies events to a map; returns true if a relevant part has changed.
bool absorb(kubesim::Watch& watch, std::map<std::string, Object>& live) {
  bool changed = false;
  for (const WatchEvent& event : watch.take()) {
    const std::string key = key_of(*event.object);
    if (event.type == WatchEvent::Type::kDeleted) {
      changed |= live.erase(key) > 0;
      continue;
    }
    Object& slot = live[key];
    changed |= !slot || digest(*slot) != digest(*event.object);
    slot = event.object;
  }
  return changed;
}

bool tainted_disrupted(const value& node) {
  for (const value& taint : json::array_at(node, {"spec", "taints"})) {
    if (json::string_at(taint, {"key"}) == model::kTaintDisrupted) return true;
  }
  return false;
}

bool labelled(const value& node, std::string_view label) {
  return json::string_at(node, {"metadata", "labels", label}) == "true";
}

// Returns whether the node belongs to a NodePool or a Provisioner.
bool of_a_pool(const value& node) {
  return json::find(node, {"metadata", "labels", model::kLabelNodePool}) ||
         json::find(node, {"metadata", "labels", model::kLabelProvisioner});
}

}  // namespace

Observer::Observer(kubesim::Api& api, awssim::FakeAws& aws, runtime::Runtime& runtime)
    : api_(api),
      aws_(aws),
      runtime_(runtime),
      pods_(api.watch({"", "pods"})),
      nodes_(api.watch({"", "nodes"})),
      claims_(api.watch({"karpenter.sh", "nodeclaims"})),
      event_watch_(api.watch({"", "events"})),
      last_change_(runtime.now()) {
  observe();
  begin_step();
}

void Observer::begin_step() {
  observe();
  events_.clear();
  drift_reasons_.clear();
  shortest_empty_.reset();
  broken_.clear();
  most_disrupted_ = 0;
  nodes_at_start_.clear();
  for (const auto& [key, node] : live_nodes_) {
    if (of_a_pool(*node)) nodes_at_start_.insert(key);
  }
  claims_at_start_.clear();
  for (const auto& [key, claim] : live_claims_) claims_at_start_.insert(key);
  note_change();
}

void Observer::observe() {
  if (absorb(*claims_, live_claims_)) {
    note_change();
    for (const auto& [key, claim] : live_claims_) {
      if (std::string reason = drift_reason(*claim); !reason.empty()) drift_reasons_.insert(std::move(reason));
    }
  }
  observe_pods();
  observe_nodes();
  observe_instances();
  for (const WatchEvent& event : event_watch_->take()) {
    if (event.type == WatchEvent::Type::kDeleted) continue;
    events_.emplace(json::string_at(*event.object, {"reason"}), json::string_at(*event.object, {"message"}));
  }
}

bool Observer::told(std::string_view event) const {
  const auto [reason, words] = cut(event, ':');
  return std::any_of(events_.begin(), events_.end(), [&](const auto& each) {
    return each.first == reason && each.second.find(trim(words)) != std::string::npos;
  });
}

std::string Observer::pool_resource(std::string_view name) const {
  for (const char* kind : {"nodepools", "provisioners"}) {
    if (const auto pool = api_.get({"karpenter.sh", kind}, "", "default"))
      return std::string(json::string_at(**pool, {"status", "resources", name}));
  }
  return "";
}

void Observer::observe_pods() {
  if (!absorb(*pods_, live_pods_)) return;
  note_change();
  note_empty_nodes();
}

void Observer::note_empty_nodes() {
  std::erase_if(going_, [&](const std::string& key) { return !live_nodes_.contains(key); });
  std::erase_if(empty_since_, [&](const auto& entry) { return !live_nodes_.contains(entry.first); });
  std::set<std::string> used;
  for (const auto& [key, pod] : live_pods_) {
    if (!owned_by_daemon_set(*pod)) used.insert("/" + std::string(json::string_at(*pod, {"spec", "nodeName"})));
  }
  for (const auto& [key, node] : live_nodes_) {
    if (used.contains(key)) {
      empty_since_.erase(key);
    } else {
      empty_since_.try_emplace(key, runtime_.now());
    }
  }
}

// True if this step created NodeClaims and all of them are initialized.
bool Observer::replacement_ready() const {
  int fresh = 0;
  for (const auto& [key, claim] : live_claims_) {
    if (claims_at_start_.contains(key)) continue;
    ++fresh;
    if (!condition_true(*claim, model::kInitialized)) return false;
  }
  return fresh > 0;
}

void Observer::observe_nodes() {
  if (!absorb(*nodes_, live_nodes_)) return;
  note_change();
  note_empty_nodes();
  int disrupted = 0;
  for (const auto& [key, node] : live_nodes_) {
    disrupted += deleting(*node) || tainted_disrupted(*node) ? 1 : 0;
    if (!deleting(*node) || !going_.insert(key).second) continue;
    if (const auto since = empty_since_.find(key); since != empty_since_.end()) {
      const Duration empty = runtime_.now() - since->second;
      shortest_empty_ = std::min(shortest_empty_.value_or(empty), empty);
    }
    if (nodes_at_start_.contains(key) && !replacement_ready()) {
      broken_.push_back("node " + key.substr(1) + " was drained before its replacement was initialized");
    }
  }
  most_disrupted_ = std::max(most_disrupted_, disrupted);
}

void Observer::observe_instances() {
  const uint64_t seen = aws_.changed().version();
  if (seen == aws_seen_) return;
  aws_seen_ = seen;
  for (const auto& instance : aws_.instances()) {
    std::string& state = instance_states_[instance.id];
    if (state == instance.state) continue;
    const bool ending = instance.state == "shutting-down" && !state.empty();
    state = instance.state;
    note_change();
    if (!ending) continue;
    const auto left = std::count_if(live_pods_.begin(), live_pods_.end(), [&](const auto& entry) {
      const value& pod = *entry.second;
      return json::string_at(pod, {"spec", "nodeName"}) == instance.private_dns_name && running(pod) &&
             !owned_by_daemon_set(pod);
    });
    if (left > 0) broken_.push_back("instance " + instance.id + " ended with " + std::to_string(left) + " pods on it");
  }
}

std::vector<Observer::SeenNode> Observer::nodes() const {
  std::vector<SeenNode> all;
  for (const auto& [key, node] : live_nodes_) {
    if (!of_a_pool(*node)) continue;
    SeenNode seen;
    seen.name = key.substr(1);
    seen.node.type = json::string_at(*node, {"metadata", "labels", model::kLabelInstanceType});
    seen.node.capacity_type = json::string_at(*node, {"metadata", "labels", model::kLabelCapacityType});
    for (const auto& label : json::object_at(*node, {"metadata", "labels"})) {
      if (label.value().is_string()) seen.node.labels[std::string(label.key())] = label.value().get_string();
    }
    seen.provider_id = json::string_at(*node, {"spec", "providerID"});
    seen.ready = condition_true(*node, "Ready");
    seen.initialized = labelled(*node, model::kLabelInitialized);
    seen.deleting = deleting(*node);
    for (const auto& [pod_key, pod] : live_pods_) {
      if (json::string_at(*pod, {"spec", "nodeName"}) == seen.name && running(*pod) && !owned_by_daemon_set(*pod)) {
        ++seen.node.pods;
      }
    }
    all.push_back(std::move(seen));
  }
  std::sort(all.begin(), all.end(), [](const SeenNode& a, const SeenNode& b) {
    return std::tie(a.node.type, a.node.pods, a.name) < std::tie(b.node.type, b.node.pods, b.name);
  });
  return all;
}

int Observer::nodes_from_before() const {
  return static_cast<int>(std::count_if(nodes_at_start_.begin(), nodes_at_start_.end(),
                                        [&](const std::string& key) { return live_nodes_.contains(key); }));
}

int Observer::pending_pods() const {
  return static_cast<int>(std::count_if(live_pods_.begin(), live_pods_.end(), [](const auto& entry) {
    return json::string_at(*entry.second, {"status", "phase"}) == "Pending";
  }));
}

}  // namespace tenon::cli
