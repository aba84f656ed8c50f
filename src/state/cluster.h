// The cluster as the controllers see it: informers for every kind that a decision looks at, what this process knows
// beyond them (nominations, nodes chosen for deletion, claims it has just created), and the Snapshot of it all.
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
#include "scheduling/capacity_buffer.h"
#include "state/default_spread.h"
#include "state/promised_room.h"

namespace tenon::state {

// A cache that has not been following its kind for so long is no base for disruption.
inline constexpr Duration kStaleAfter = 30s;

// What a NodePool can launch now, and why not (as PoolView::not_ready). From the cloud provider; must not block, since
// nothing may come between looking at the cluster and deciding.
struct PoolTypes {
  std::shared_ptr<const std::vector<model::InstanceType>> types;  // may be set even if not ready
  std::string not_ready;
};

struct ClusterOptions {
  std::function<PoolTypes(const model::NodePool&)> types_of;
  Duration nomination_window = 20s;  // twice the batch window, at least 10 s
  // Whose NodePools and NodeClaims are seen at all; empty: everybody's. Pure.
  std::function<bool(const model::NodeClassRef&)> manages = {};
  // Feature gates. Without them the informers of their kinds are never started.
  bool node_overlays = false, capacity_buffers = false;
  // The default topology spread of a scheduler configuration; without constraints the informers of what selects pods
  // are never started.
  scheduling::SpreadConstraints default_spread = {};
  // A kind of these that the API server does not know; told once each, from an informer's thread. May be empty.
  std::function<void(const std::string& kind)> absent = {};
};

// A kind or an object that keeps the cluster's state from being complete.
struct Obstacle {
  std::string kind;  // "NodeClaim"
  std::string name;  // of the object; empty: the kind's cache
  std::string what;  // is wrong
  Instant since{};
  bool blocks = true;  // synced(); an open launch does not
};

class Cluster;

// Whoever holds it is the only one that buys or gives up nodes. Ends with the object; the Cluster must outlive it.
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

  // Every informer has listed: an empty list of pods is no empty node before.
  bool caches_synced() const;
  // And every NodeClaim that we created is seen, the cloud was asked for its instance types (types_asked), and nobody
  // has the turn. Nothing is bought or disrupted before.
  bool synced() const;
  // No cache holds what may have gone, and each has been following its kind within the last kStaleAfter. Nothing is
  // disrupted or collected otherwise.
  bool trusted() const;
  // Why caches_synced() or trusted() is false, by kind: for /readyz.
  std::vector<Obstacle> cache_obstacles() const;
  // Why synced() is false beyond that, and the launches that are open: each usually takes some seconds.
  std::vector<Obstacle> state_obstacles() const;
  // Those that the options ask for.
  const std::vector<kube::AnyInformer*>& caches() const { return informers_; }
  // Called from an informer's thread, must not block. Before start().
  void on_unreadable(const std::function<void(const kube::Unreadable&)>& handler);

  // Read from the API server now, not from a cache: for what must not be ended by mistake. The first answers nothing
  // only if the server knows the kind and says that there is no such NodeClaim. Answers include unreadable objects.
  Result<std::optional<model::NodeClaim>> read_claim(const std::string& name, const std::stop_token& stop) const;
  Result<std::vector<model::NodeClaim>> read_claims(const std::stop_token& stop) const;
  Result<std::vector<model::NodeClass>> read_node_classes(const std::stop_token& stop) const;

  // ClusterOptions::types_of answers with what the cloud said, or that it did not answer; before, every NodePool seems
  // unable to launch.
  void types_asked() { types_asked_ = true; }
  // What one buys or gives up, the others must see before they decide. So: read turns(), take the snapshot, decide;
  // then take_turn() gives nothing if somebody had a turn meanwhile, or has it now: decide again. Never blocks.
  uint64_t turns() const;
  std::optional<Turn> take_turn(uint64_t seen);
  scheduling::Snapshot snapshot() const;
  // Its nodes alone: cheap enough for every few seconds.
  std::vector<scheduling::NodeView> node_views() const;
  // What is planned with: the same, with open launches as their claims expect them (open_launches.h), and with the pods
  // that CapacityBuffers stand for among the pending ones. `states` is of every buffer that is not being deleted, by
  // namespace/name.
  scheduling::Snapshot snapshot_with_buffers(scheduling::BufferStates& states) const;
  // NodePools and what they can launch, as NodeOverlays have it. `refused`: overlays that change nothing, and why.
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
  kube::Informer<model::CapacityBuffer> capacity_buffers;  // and with it those:
  kube::Informer<model::PodSource> pod_templates, deployments, stateful_sets, replica_sets;
  // What selects pods; empty without a default topology spread.
  kube::Informer<model::PodSelector> services, replication_controllers, replica_set_selectors, stateful_set_selectors;

  // Lookups that controllers need often; indexes, not scans.
  std::vector<kube::Informer<model::Node>::Ptr> nodes_with_provider_id(const std::string& provider_id) const;
  kube::Informer<model::NodeClaim>::Ptr claim_with_provider_id(const std::string& provider_id) const;
  // The last part of a provider id: "i-0123…".
  kube::Informer<model::NodeClaim>::Ptr claim_with_instance_id(const std::string& instance_id) const;
  // The Node is labelled with a node class of ours, or a NodeClaim of ours has its provider id.
  bool manages(const model::Node& node) const;
  // The Node belongs to a NodePool, but to none of ours: another provider's. Pods may run there; nothing else about it
  // concerns us.
  bool foreign(const model::Node& node) const;
  std::vector<scheduling::PodPtr> pods_on(const std::string& node) const;  // terminal ones too, by key

  // Pods were told to come to this node (by Node or NodeClaim name): it is no candidate for a while.
  void nominate(const std::string& name);
  // A disruption command chose these nodes (by NodeClaim name).
  void mark_for_deletion(const std::vector<std::string>& claim_names);
  void unmark_for_deletion(const std::vector<std::string>& claim_names);
  // Room for the pods of nodes that were marked.
  PromisedRoom promised_room;
  // The claim goes, but its pods are not evicted before the provisioner has bought what they need (release_drains), or
  // `until`.
  void hold_drain(const std::string& claim_name, Instant until);
  bool drain_held(const std::string& claim_name) const;
  // As soon as the launches that are open now have ended, well or not.
  void release_drains(const std::vector<std::string>& claim_names);
  // A claim that the API server has accepted counts from now on, even before its informer has seen it.
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
  const std::vector<kube::AnyInformer*> informers_;  // those that the options ask for
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
  mutable std::vector<std::shared_ptr<const scheduling::TypeIndex>> type_indexes_;  // of lists that are in use
  mutable SnapshotSpread default_spread_;
};

}  // namespace tenon::state
