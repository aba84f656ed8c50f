// Plan: the result of a decision. Actions are data; controllers/apply performs them, and is the only writer to the API
// server, the cloud and the ledger (state/ledger.h). A patch holds the object that the decision read (`before`), so
// that a write on another version of the object is rejected, not merged.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "log/log.h"
#include "model/capacity_buffer.h"
#include "model/instance_type.h"
#include "model/node.h"
#include "model/node_claim.h"
#include "model/node_class.h"
#include "model/node_overlay.h"
#include "model/node_pool.h"

namespace tenon::plan {

// The object of an Event or of a log line.
struct ObjectRef {
  std::string api_version, kind, ns, name, uid;
  friend bool operator==(const ObjectRef&, const ObjectRef&) = default;
};
ObjectRef ref(const model::NodeClaim& claim);
ObjectRef ref(const model::Node& node);
ObjectRef ref(const model::NodePool& pool);
ObjectRef ref(const model::NodeClass& node_class);
ObjectRef pod_ref(const model::ObjectMeta& pod);
// Returns the fields of a log line about this NodeClaim: its pool, its Node and its instance.
tenon::log::Fields log_fields(const model::NodeClaim& claim);
// Returns the amounts as a log line shows them: {"cpu", "1500m"}, ….
tenon::log::Object log_amounts(const model::Resources& resources);

struct RecordEvent {
  ObjectRef about;
  std::string type, reason, message;  // type: Normal or Warning
  Duration dedupe = 2min;             // an event of equal reason and object is not repeated within this time
};

// One action, because an action has the size of the largest kind, and a decision may be about 100,000 pods.
struct RecordEvents {
  std::vector<RecordEvent> events;
};

// The fields behind `why` use the name of the claim, which does not exist before the claim.
struct CreateNodeClaim {
  model::NodeClaim claim;                 // generate_name set, name empty
  std::string why = "provisioned";        // reason in the metric; a replacement has that of the nodes that it replaces
  bool nominate = false;                  // as Nominate
  std::vector<std::string> promise = {};  // pods, as PromiseRoom
  std::vector<RecordEvent> events = {};   // each message ends with "nodeclaim/<name>", which is added
  std::string log = {};                   // the words "nodeclaim/<name>" + log; empty: another line tells the decision
};
// Patches the metadata, spec and status fields in which `after` differs from `before`.
struct PatchNodeClaim {
  model::NodeClaim before, after;
};
struct PatchNode {
  model::Node before, after;
};
struct PatchNodePool {
  model::NodePool before, after;
};
struct PatchNodeClass {
  model::NodeClass before, after;
};
struct PatchNodeOverlay {
  model::NodeOverlay before, after;
};
struct PatchCapacityBuffer {
  model::CapacityBuffer before, after;
};
// With the uid as precondition. `why` is the reason in logs and in the metric ("empty", "expired", …); empty if a user
// or another component decided it by deleting the Node.
struct DeleteNodeClaim {
  model::NodeClaim claim;
  std::string why;
  std::string consolidation_policy = "";  // of the pool, if consolidation decided it: "when_empty", …
  size_t pods = 0;                        // that need another node, for the metric
  std::string sick_of = "";               // the unhealthy condition of the Node, if it is repaired
};
struct DeleteNode {
  std::string name, uid;
};
// Evicts through the eviction subresource, with the uid as precondition. A rejection by a PodDisruptionBudget or an
// admission webhook causes an event on the node and a retry. It is not a failure of the plan.
struct EvictPod {
  ObjectRef pod, node;
  std::string reason;  // why the node is removed: Empty, Underutilized, Drifted, Forceful Termination
};
struct DeletePod {
  std::string ns, name, uid;
  int64_t grace_seconds = 0;
  std::string reason = "";  // as of an eviction
};

// Actions on the cloud (cloud/provider.h).

// Launches the instance of the claim. `types`: the view of the claim's pool, with NodeOverlays; null: the cloud's own.
struct LaunchInstance {
  model::NodeClaim claim;
  model::NodeClass node_class;
  std::shared_ptr<const std::vector<model::InstanceType>> types = {};
};
// Requests the termination of an instance. An instance that no longer exists is no failure.
struct TerminateInstance {
  std::string provider_id;
};
// Adds the tags to the claim's instance that were unknown at its launch.
struct TagInstance {
  model::NodeClaim claim;
};
// The cloud has insufficient capacity of the claim's offering: nothing is launched from it for a while.
struct AvoidOffering {
  model::NodeClaim claim;
};
// The cloud has announced the end of the claim's instance: it is not a lost instance.
struct AnnounceEnd {
  model::NodeClaim claim;
};
// Removes what was created in the cloud for a node class.
struct CleanUpNodeClass {
  model::NodeClass node_class;
};
// Removes the instance profiles of this cluster that are not `in_use` (names).
struct RemoveStrayProfiles {
  std::set<std::string> in_use;
};

// Entries of the ledger (state/ledger.h).

// Pods are to be bound to this node. One of the names may be empty.
struct Nominate {
  std::string claim, node;
};
struct MarkForDeletion {
  std::string claim, node;  // `node` empty: none has joined
};
struct UnmarkForDeletion {
  std::string claim;
};
struct PromiseRoom {
  std::string node;               // the name of the Node or of the NodeClaim
  std::vector<std::string> pods;  // keys
};
struct HoldDrain {
  std::string claim;
  Duration at_most{};
};
struct ReleaseDrain {
  std::string claim;
};

using Action = std::variant<CreateNodeClaim, PatchNodeClaim, PatchNode, PatchNodePool, PatchNodeClass, PatchNodeOverlay,
                            PatchCapacityBuffer, DeleteNodeClaim, DeleteNode, EvictPod, DeletePod, RecordEvent,
                            RecordEvents, LaunchInstance, TerminateInstance, TagInstance, AvoidOffering, AnnounceEnd,
                            CleanUpNodeClass, RemoveStrayProfiles, Nominate, MarkForDeletion, UnmarkForDeletion,
                            PromiseRoom, HoldDrain, ReleaseDrain>;

// A decision in words, for an observer, which reports it instead of performing the plan (controllers/apply/observer.h).
struct Proposal {
  std::string reason;   // of the event: kWouldLaunch, kWouldDisrupt
  std::string key;      // what it is about, the same in each pass: the pods or the nodes
  std::string message;  // "launch on-demand m5.large in us-east-1a at $0.096/h for 2 pods …"
  std::string node_pool = {};
  friend bool operator==(const Proposal&, const Proposal&) = default;
};
inline constexpr const char* kWouldLaunch = "WouldLaunch";
inline constexpr const char* kWouldDisrupt = "WouldDisrupt";

struct Plan {
  // Performed in order. All other actions depend on those before the first group: the failure of one of these ends the
  // plan. Groups do not depend on each other: the failure of an action ends its group only. Neighbouring groups that
  // consist of a CreateNodeClaim alone are performed in parallel.
  std::vector<Action> actions;
  std::vector<size_t> groups;     // the index in `actions` at which each group begins; ascending
  std::optional<Duration> again;  // decide again after this time; std::nullopt: when the object changes
  // The plan needs the turn to launch and remove nodes: Ledger::turns() from before the snapshot. If another decision
  // took a turn since, nothing is performed.
  std::optional<uint64_t> turn = std::nullopt;
  std::vector<tenon::log::Entry> log = {};  // logged once every action was performed
  std::vector<Proposal> proposals = {};     // the same decisions for an observer; one that performs ignores them

  void add(Action action) { actions.push_back(std::move(action)); }
  // Begins a group: the actions added from now on do not depend on earlier groups.
  void begin_group();
  // Adds the other plan's actions, in groups of their own, its log and its proposals.
  void append(Plan other);
  void add_if_changed(const model::NodeClaim& before, const model::NodeClaim& after);
  void add_if_changed(const model::Node& before, const model::Node& after);
  void event(ObjectRef about, std::string type, std::string reason, std::string message) {
    add(RecordEvent{std::move(about), std::move(type), std::move(reason), std::move(message)});
  }
  // Sets `again` to the earlier of its value and `after`.
  void requeue_after(Duration after);
};

// Returns the first action of this kind; null if there is none.
template <class Kind>
const Kind* find(const Plan& plan) {
  for (const Action& action : plan.actions) {
    if (const Kind* found = std::get_if<Kind>(&action)) return found;
  }
  return nullptr;
}

// Returns one line for logs and tests: "PatchNodeClaim default-x7x2k".
std::string describe(const Action& action);

}  // namespace tenon::plan
