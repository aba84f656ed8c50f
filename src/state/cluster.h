// The cluster as the API server shows it: informers for every kind that a decision reads, their indexes, and the
// Snapshot that combines them with the entries of the ledger (ledger.h).
//
// Thread rule: every call may come from any thread; snapshot() builds a new one on the caller's thread and shares the
// decoded objects with the caches.
// cluster_pools.cc has the members about NodePools. parity: karpenter pkg/controllers/state/cluster.go
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
#include <vector>

#include "kube/codec/codec.h"
#include "kube/codec/earlier_api.h"
#include "kube/informer.h"
#include "kube/joined.h"
#include "model/capacity_buffer.h"
#include "model/node_class.h"
#include "model/node_overlay.h"
#include "model/pod_selector.h"
#include "scheduling/input/capacity_buffer.h"
#include "state/default_spread.h"
#include "state/ledger.h"
#include "state/limits.h"
#include "state/obstacle.h"

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
  // Selects the NodePools and NodeClaims that are cached, by their node class; empty: all of them. If it selects
  // KWOKNodeClasses, these are cached instead of EC2NodeClasses. Pure.
  std::function<bool(const model::NodeClassRef&)> manages = {};
  // Feature gates. If a gate is off, the informers of its kinds are never started.
  bool node_overlays = false, capacity_buffers = false, provisioners = false;
  // With `provisioners`: of the ConfigMap karpenter-global-settings.
  std::string settings_namespace = "karpenter";
  // The default topology spread of a scheduler configuration. If it has no constraints, the informers of the kinds that
  // select pods are never started.
  scheduling::SpreadConstraints default_spread = {};
  // Called once for each kind of these that the API server does not serve, from an informer's thread. May be empty.
  std::function<void(const std::string& kind)> absent = {};
};

class Cluster {
 public:
  // Borrows its arguments. Reports changes of NodeClaims to the ledger.
  Cluster(runtime::Runtime& runtime, kube::Client& client, Ledger& ledger, ClusterOptions options);
  ~Cluster();
  void start();
  void stop();

  // Every informer has listed its kind. Before that, an empty list of pods does not mean an empty node.
  bool caches_synced() const;
  // Returns true if caches_synced(), the informer has delivered every NodeClaim that this process created, the cloud
  // was asked for its instance types (types_asked), and no caller holds the turn. Nothing is launched or disrupted
  // otherwise.
  bool synced() const;
  // Blocks until synced(). Returns false if `stop` is requested before.
  bool await_synced(const std::stop_token& stop) const;
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
  // The pods on the Node, as pods_on().
  Result<std::vector<scheduling::PodPtr>> read_pods_on(const std::string& node, const std::stop_token& stop) const;

  // Records that ClusterOptions::types_of now returns the instance types of the cloud, or the reason why the cloud
  // returned none. Before that, every NodePool appears unable to launch.
  void types_asked();
  scheduling::Snapshot snapshot() const;
  // Returns the nodes of the snapshot only: fast enough for a call every few seconds.
  std::vector<scheduling::NodeView> node_views() const;
  // Returns what pool_use() returns for node_views(), at the cost of the pool's claims that wait for an instance.
  PoolUse pool_use(const std::string& pool) const;
  // Returns the snapshot for planning: open launches count as their claims expect them (open_launches.h), and the
  // virtual pods of CapacityBuffers are pending pods. Sets `states` for every buffer that is not being deleted, by
  // namespace/name.
  scheduling::Snapshot snapshot_with_buffers(scheduling::BufferStates& states) const;
  // Returns the NodePools and what they can launch, with NodeOverlays applied. `refused`: rejected overlays, with the
  // reason.
  std::vector<scheduling::PoolView> pool_views(std::map<std::string, std::string>& refused) const;
  // Indexes lists of instance types that are new; otherwise the next view of their NodePools does.
  void index_types() const;
  // Returns the view of one NodePool, by its name, as pool_views(); std::nullopt if there is no such pool.
  std::optional<scheduling::PoolView> pool_view(std::string_view name) const;

 private:
  // The caches behind `pools` and `node_classes`; those of the earlier API are empty without their feature gate.
  // Constructed before them.
  kube::Informer<model::NodePool> node_pools_, provisioners_;
  kube::Informer<model::NodeClass> current_classes_, node_templates_, inline_providers_;  // the last of Provisioners
  kube::Informer<model::NodeClass> kwok_classes_;
  kube::Informer<model::GlobalSettings> global_settings_;

 public:
  // The caches. Register handlers before start().
  kube::Informer<model::Pod> pods;
  kube::Informer<model::Node> nodes;
  kube::Informer<model::NodeClaim> claims;  // and pools: without those of other providers (ClusterOptions::manages)
  kube::Joined<model::NodePool> pools;      // and Provisioners: their keys begin with "provisioner/"
  // and AWSNodeTemplates: "awsnodetemplate/"; inline: "provisioner/"; KWOKNodeClasses: "kwoknodeclass/"
  kube::Joined<model::NodeClass> node_classes;
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

  // Returns true while a class of v0.27 waits for the Kubernetes version, which decides its default images.
  bool needs_kubernetes_version() const;
  void set_kubernetes_version(const std::string& version);

  // Returns the class of the pool, with the pool's configuration of the kubelet if it has one. Null if there is none.
  std::shared_ptr<const model::NodeClass> node_class_of(const model::NodePool& pool) const;
  // The same for a NodeClaim; without its pool, the class as it is.
  std::shared_ptr<const model::NodeClass> node_class_of(const model::NodeClaim& claim) const;

  // Frequent lookups of the controllers, by index.
  std::vector<kube::Informer<model::Node>::Ptr> nodes_with_provider_id(const std::string& provider_id) const;
  kube::Informer<model::NodeClaim>::Ptr claim_with_provider_id(const std::string& provider_id) const;
  // By the last part of a provider id: "i-0123…".
  kube::Informer<model::NodeClaim>::Ptr claim_with_instance_id(const std::string& instance_id) const;
  // Returns whether the Node has a label or annotation of our node classes, or a NodeClaim of ours has its provider id.
  bool manages(const model::Node& node) const;
  // Returns whether the Node belongs to a NodePool of another provider. Pods may run on it; we ignore it otherwise.
  bool foreign(const model::Node& node) const;
  std::vector<scheduling::PodPtr> pods_on(const std::string& node) const;  // terminal ones too, by key

 private:
  struct Indexes;
  std::vector<kube::AnyInformer*> informers_for(const ClusterOptions& options);
  bool has_none(const kube::AnyInformer& cache) const;
  scheduling::Snapshot snapshot_as_it_is() const;  // without the default topology spread
  std::shared_ptr<const model::PodSource> pod_source(const std::string& kind, const std::string& key) const;
  std::shared_ptr<const scheduling::TypeIndex> type_index(const scheduling::TypeIndex::Types& types) const;
  scheduling::PoolView view_of(const std::shared_ptr<const model::NodePool>& pool) const;
  void add_nodes(scheduling::Snapshot& out) const;
  void add_daemon_sets(scheduling::Snapshot& out) const;

  model::GlobalSettings settings() const;
  std::string default_ami_alias() const;

  runtime::Runtime& runtime_;
  kube::Client& client_;
  Ledger& ledger_;
  const ClusterOptions options_;
  const std::vector<kube::AnyInformer*> informers_;  // that the options require
  mutable std::mutex mutex_;
  std::unique_ptr<Indexes> indexes_;
  Instant started_at_{};
  std::string kubernetes_version_;  // empty: unknown
  std::atomic<bool> types_asked_ = false;
  mutable std::vector<std::shared_ptr<const scheduling::TypeIndex>> type_indexes_;  // of lists in use
  mutable SnapshotSpread default_spread_;
};

}  // namespace tenon::state
