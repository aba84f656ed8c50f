// The cluster state of the controllers: informers for every kind that a decision reads, the state that only this
// process holds (nominations, nodes marked for deletion, claims that it has just created), and the Snapshot that
// combines them.
//
// Thread rule: every call may come from any thread; snapshot() builds a new one on the caller's thread and shares the
// decoded objects with the caches.
// parity: karpenter pkg/controllers/state/cluster.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kube/codec/codec.h"
#include "kube/informer.h"
#include "model/capacity_buffer.h"
#include "model/node_class.h"
#include "model/node_overlay.h"
#include "model/pod_selector.h"
#include "scheduling/input/capacity_buffer.h"
#include "state/default_spread.h"
#include "state/promised_room.h"

namespace tenon::state {

// A cache that has not followed its kind for this long is no basis for disruption.
inline constexpr Duration kStaleAfter = 30s;

// The instance types that a NodePool can launch now, or why it can launch none (as PoolView::not_ready). From the cloud
// provider. Must not block: a decision must follow its observation without a pause.
struct PoolTypes {
  std::shared_ptr<const std::vector<model::InstanceType>> types;  // may be set even if not ready
  std::string not_ready;
};

struct ClusterOptions {
  std::function<PoolTypes(const model::NodePool&)> types_of;
  Duration nomination_window = 20s;  // twice the batch window, at least 10 s
  // Selects the NodePools and NodeClaims that are cached, by their node class; empty: all of them. Pure.
  std::function<bool(const model::NodeClassRef&)> manages = {};
  // Feature gates. If a gate is off, the informers of its kinds are never started.
  bool node_overlays = false, capacity_buffers = false;
  // The default topology spread of a scheduler configuration. If it has no constraints, the informers of the kinds that
  // select pods are never started.
  scheduling::SpreadConstraints default_spread = {};
  // Called once for each kind of these that the API server does not serve, from an informer's thread. May be empty.
  std::function<void(const std::string& kind)> absent = {};
};

// A kind or an object that keeps the cluster's state from being complete.
struct Obstacle {
  std::string kind;  // "NodeClaim"
  std::string name;  // of the object; empty: the obstacle is the kind's cache
  std::string what;  // the fault
  Instant since{};
  bool blocks = true;  // synced(); false for an open launch
};

class Cluster;

// The exclusive right to launch and remove nodes. Ends with the object; the Cluster must outlive it.
class Turn {
 public:
  explicit Turn(Cluster& cluster) : cluster_(&cluster) {}
  Turn(Turn&& other) noexcept : cluster_(std::exchange(other.cluster_, nullptr)) {}
  Turn& operator=(Turn&& other) noexcept {
    std::swap(cluster_, other.cluster_);
    return *this;
  }
  ~Turn();

 private:
  Cluster* cluster_;  // null: moved from
};

class Cluster {
 public:
  Cluster(runtime::Runtime& runtime, kube::Client& client, ClusterOptions options);
  ~Cluster();
  void start();
  void stop();

  // Every informer has listed its kind. Before that, an empty list of pods does not mean an empty node.
  bool caches_synced() const;
  // Returns true if caches_synced(), the informer has delivered every NodeClaim that this process created, the cloud
  // was asked for its instance types (types_asked), and no caller holds the turn. Nothing is launched or disrupted
  // otherwise.
  bool synced() const;
  // No cache may hold deleted objects, and each cache has followed its kind within the last kStaleAfter. Nothing is
  // disrupted or garbage-collected otherwise.
  bool trusted() const;
  // Returns why caches_synced() or trusted() is false, by kind: for /readyz.
  std::vector<Obstacle> cache_obstacles() const;
  // Returns the further reasons why synced() is false, and the open launches. A launch is usually open for some
  // seconds.
  std::vector<Obstacle> state_obstacles() const;
  // The informers that the options require.
  const std::vector<kube::AnyInformer*>& caches() const { return informers_; }
  // Registers a handler; call it before start(). The handler runs on an informer's thread and must not block.
  void on_unreadable(const std::function<void(const kube::Unreadable&)>& handler);

  // These read from the API server, not from a cache, for callers that must not terminate anything by mistake.
  // read_claim() returns std::nullopt only if the server serves the kind and has no such NodeClaim. Results include
  // unreadable objects.
  Result<std::optional<model::NodeClaim>> read_claim(const std::string& name, const std::stop_token& stop) const;
  Result<std::vector<model::NodeClaim>> read_claims(const std::stop_token& stop) const;
  Result<std::vector<model::NodeClass>> read_node_classes(const std::stop_token& stop) const;

  // Records that ClusterOptions::types_of now returns the instance types of the cloud, or the reason why the cloud
  // returned none. Before that, every NodePool appears unable to launch.
  void types_asked() { types_asked_ = true; }
  // Serializes decisions: each must observe the launches and removals of the previous one. Read turns(), take the
  // snapshot and decide. take_turn() then returns std::nullopt if another caller took a turn since turns() was read, or
  // holds one now: decide again. Never blocks.
  uint64_t turns() const;
  std::optional<Turn> take_turn(uint64_t seen);
  scheduling::Snapshot snapshot() const;
  // Returns the nodes of the snapshot only: fast enough for a call every few seconds.
  std::vector<scheduling::NodeView> node_views() const;
  // Returns the snapshot for planning: open launches count as their claims expect them (open_launches.h), and the
  // virtual pods of CapacityBuffers are pending pods. Sets `states` for every buffer that is not being deleted, by
  // namespace/name.
  scheduling::Snapshot snapshot_with_buffers(scheduling::BufferStates& states) const;
  // Returns the NodePools and what they can launch, with NodeOverlays applied. `refused`: rejected overlays, with the
  // reason.
  std::vector<scheduling::PoolView> pool_views(std::map<std::string, std::string>& refused) const;

  // The caches. Register handlers before start().
  kube::Informer<model::Pod> pods;
  kube::Informer<model::Node> nodes;
  kube::Informer<model::NodeClaim> claims;  // and pools: without those of other providers (ClusterOptions::manages)
  kube::Informer<model::NodePool> pools;
  kube::Informer<model::NodeClass> node_classes;
  kube::Informer<model::DaemonSet> daemon_sets;
  kube::Informer<model::PodDisruptionBudget> disruption_budgets;
  kube::Informer<model::PersistentVolumeClaim> volume_claims;
  kube::Informer<model::PersistentVolume> volumes;
  kube::Informer<model::StorageClass> storage_classes;
  kube::Informer<model::CsiNode> csi_nodes;
  kube::Informer<kube::codec::VolumeAttachment> volume_attachments;
  kube::Informer<model::ObjectMeta> namespaces;
  kube::Informer<model::NodeOverlay> node_overlays;        // empty without its feature gate
  kube::Informer<model::CapacityBuffer> capacity_buffers;  // likewise, and its pod sources:
  kube::Informer<model::PodSource> pod_templates, deployments, stateful_sets, replica_sets;
  // The kinds that select pods; empty without a default topology spread.
  kube::Informer<model::PodSelector> services, replication_controllers, replica_set_selectors, stateful_set_selectors;

  // Frequent lookups of the controllers, by index.
  std::vector<kube::Informer<model::Node>::Ptr> nodes_with_provider_id(const std::string& provider_id) const;
  kube::Informer<model::NodeClaim>::Ptr claim_with_provider_id(const std::string& provider_id) const;
  // By the last part of a provider id: "i-0123…".
  kube::Informer<model::NodeClaim>::Ptr claim_with_instance_id(const std::string& instance_id) const;
  // Returns whether the Node has a label of our node classes, or a NodeClaim of ours has its provider id.
  bool manages(const model::Node& node) const;
  // Returns whether the Node belongs to a NodePool of another provider. Pods may run on it; we ignore it otherwise.
  bool foreign(const model::Node& node) const;
  std::vector<scheduling::PodPtr> pods_on(const std::string& node) const;  // terminal ones too, by key

  // Records that pods are to be bound to this node (by Node or NodeClaim name). For `nomination_window` it is no
  // disruption candidate.
  void nominate(const std::string& name);
  // A disruption command chose these nodes (by NodeClaim name).
  void mark_for_deletion(const std::vector<std::string>& claim_names);
  void unmark_for_deletion(const std::vector<std::string>& claim_names);
  // Room that is reserved for the pods of marked nodes.
  PromisedRoom promised_room;
  // Delays the eviction of a removed claim's pods until the provisioner has launched nodes for them (release_drains),
  // or until `until`.
  void hold_drain(const std::string& claim_name, Instant until);
  bool drain_held(const std::string& claim_name) const;
  // Ends the hold as soon as the launches that are open now have succeeded or failed.
  void release_drains(const std::vector<std::string>& claim_names);
  // Adds a claim that the API server has accepted to the state before its informer delivers it.
  void expect(model::NodeClaim claim);

 private:
  friend class Turn;
  struct Indexes;
  std::vector<kube::AnyInformer*> informers_for(const ClusterOptions& options);
  bool has_none(const kube::AnyInformer& cache) const;
  bool launch_open(const std::string& claim_name) const;
  scheduling::Snapshot snapshot_as_it_is() const;  // without the default topology spread
  std::shared_ptr<const model::PodSource> pod_source(const std::string& kind, const std::string& key) const;
  void drop_stale_expectations() const;  // needs mutex_
  std::shared_ptr<const scheduling::TypeIndex> type_index(const scheduling::TypeIndex::Types& types) const;
  void add_nodes(scheduling::Snapshot& out) const;
  void add_what_we_know(scheduling::NodeView& view, Instant now) const;
  void add_daemon_sets(scheduling::Snapshot& out) const;

  runtime::Runtime& runtime_;
  kube::Client& client_;
  const ClusterOptions options_;
  const std::vector<kube::AnyInformer*> informers_;  // that the options require
  mutable std::mutex mutex_;
  std::unique_ptr<Indexes> indexes_;
  mutable std::map<std::string, Instant> nominated_until_;  // by Node or NodeClaim name
  std::set<std::string> marked_;                            // NodeClaim names
  uint64_t turns_ = 0;                                      // that were taken
  bool in_turn_ = false;
  Instant started_at_{}, turn_since_{};
  std::atomic<bool> types_asked_ = false;
  struct Held {
    Instant until{};
    std::optional<std::set<std::string>> released_after;  // names of claims whose launch was open at the release
  };
  std::map<std::string, Held> held_;  // by NodeClaim name
  mutable std::map<std::string, std::shared_ptr<const model::NodeClaim>> expected_;
  mutable std::vector<std::shared_ptr<const scheduling::TypeIndex>> type_indexes_;  // of lists in use
  mutable SnapshotSpread default_spread_;
};

}  // namespace tenon::state
