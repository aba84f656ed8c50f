// SPDX-License-Identifier: Apache-2.0
#include "state/cluster.h"

#include <algorithm>
#include <boost/json/value.hpp>

#include "kube/codec/codec.h"
#include "kube/codec/default_spread.h"
#include "kube/codec/kwok.h"
#include "kube/codec/pod_decoder.h"
#include "kube/resource_types.h"
#include "kube/salvage.h"
#include "model/generations.h"
#include "model/kwok.h"
#include "model/labels.h"
#include "model/unreadable.h"
#include "state/kept_fields.h"
#include "state/node_index.h"
#include "state/node_views.h"
#include "state/open_launches.h"
#include "state/pod_order.h"

namespace tenon::state {
namespace {

constexpr std::string_view kSettings = "karpenter-global-settings";
using kube::Informer;
namespace codec = kube::codec;
using NodePtr = Informer<model::Node>::Ptr;
using ClaimPtr = Informer<model::NodeClaim>::Ptr;
using scheduling::NodeView;
using scheduling::PodPtr;
using scheduling::Snapshot;

constexpr Duration kCachesPoll = 1s;  // while caches are not synced: the start of the process

template <class T>
std::map<std::string, T> by_key(const Informer<T>& informer) {
  std::map<std::string, T> out;
  for (const auto& object : informer.list()) {
    const model::ObjectMeta& meta = object->meta;
    out.emplace_hint(out.end(), meta.ns.empty() ? meta.name : meta.ns + "/" + meta.name, *object);
  }
  return out;
}

Informer<model::PodSelector>::Decode selector_decoder(const kube::ResourceType& type) {
  return [kind = type.kind](const boost::json::value& document, std::string* fault) {
    return codec::decode_pod_selector(document, kind, fault);
  };
}

// Pods of one template share their spec, since there may be 100 000 pods.
Informer<model::Pod>::Decode pod_decoder() {
  return [decoder = std::make_shared<codec::PodDecoder>()](const boost::json::value& document,
                                                           std::string* fault) -> Result<model::Pod> {
    model::Pod pod = TRY(decoder->decode(document, fault));
    keep_used_fields(pod);
    return pod;
  };
}

bool selects_kwok(const ClusterOptions& options) {
  return options.manages && options.manages({std::string(model::kKwokGroup), std::string(model::kKwokClassKind), ""});
}

template <class T>
using Decode = Result<T> (*)(const boost::json::value&, std::string*);

template <class T>
Result<T> read_object(const boost::json::value& document, Decode<T> decode) {
  std::string fault;
  T object = TRY(decode(document, &fault));
  if (!fault.empty()) kube::salvage(object, document, fault);
  return object;
}

template <class T>
Result<std::vector<T>> read_all(kube::Client& client, const kube::ResourceType& type, Decode<T> decode,
                                const std::stop_token& stop, const kube::ListOptions& options = {}) {
  const kube::ListPage page = TRY(client.list(type, options, stop));
  std::vector<T> all;
  for (const auto& item : page.items) all.push_back(TRY(read_object(item, decode)));
  return all;
}

}  // namespace

// All members are guarded by Cluster::mutex_.
struct Cluster::Indexes {
  std::map<std::string, std::vector<PodPtr>> pods_by_node;                  // sorted by key
  std::map<std::string, scheduling::NodePods> live_pods;                    // of pods_by_node, shared with the views
  std::map<std::string, PodPtr> pending;                                    // by key
  std::map<std::string, std::map<std::string, PodPtr>> pods_by_daemon_set;  // owner's uid → live pods by key
  std::map<std::string, std::set<std::string>> nodes_by_provider_id;
  using ClaimNames = std::map<std::string, std::string>;
  ClaimNames claim_by_provider_id, claim_by_instance_id;
  NodeIndex nodes;

  void remove(const PodPtr& pod) {
    const std::string key = pod->key();
    pending.erase(key);
    if (const auto all = pods_by_node.find(pod->node_name); all != pods_by_node.end()) {
      const auto at = position(all->second, pod);
      if (at != all->second.end() && (*at)->key() == key) all->second.erase(at);
      if (all->second.empty()) pods_by_node.erase(all);
    }
    live_pods.erase(pod->node_name);
    if (const auto* owner = pod->controller()) take_from(pods_by_daemon_set, owner->uid, key);
  }
  void add(const PodPtr& pod) {
    const std::string key = pod->key();
    if (!pod->node_name.empty()) {
      std::vector<PodPtr>& all = pods_by_node[pod->node_name];
      all.insert(position(all, pod), pod);  // remove() was called for an earlier version
      live_pods.erase(pod->node_name);
    }
    const auto* unreadable = model::find_condition(pod->conditions, model::kUnreadable);
    const bool anywhere = unreadable && unreadable->reason == model::kNodeUnknown;  // decisions must consider it
    if (pod->provisionable() || anywhere) pending[key] = pod;
    if (unreadable) return;  // the decoded part may lack requests: it cannot serve as its DaemonSet's template
    if (const auto* owner = pod->controller(); owner && owner->kind == "DaemonSet" && !pod->terminal()) {
      pods_by_daemon_set[owner->uid][key] = pod;
    }
  }

  // Returns the pods on the node that are not terminal. The object and its totals are kept until one of them changes.
  scheduling::NodePods live_on(const std::string& node) {
    const auto known = live_pods.find(node);
    if (known != live_pods.end()) return known->second;
    const auto all = pods_by_node.find(node);
    if (all == pods_by_node.end()) return {};
    std::vector<PodPtr> live;
    live.reserve(all->second.size());
    for (const PodPtr& pod : all->second) {
      if (!pod->terminal()) live.push_back(pod);
    }
    return live_pods.emplace(node, std::move(live)).first->second;
  }

  // Sets the pods of the views. Views and live_pods are sorted by node name, so one walk replaces a search per node.
  void add_live(std::vector<NodeView>& views) {
    auto at = live_pods.begin();
    for (NodeView& view : views) {
      if (!view.node) continue;
      const std::string& name = view.node->meta.name;
      while (at != live_pods.end() && at->first < name) ++at;
      view.pods = at != live_pods.end() && at->first == name ? at->second : live_on(name);
    }
  }

  void remove_claim(const std::string& provider_id) {
    claim_by_provider_id.erase(provider_id);
    claim_by_instance_id.erase(instance_id(provider_id));
  }
  void add_claim(const std::string& provider_id, const std::string& name) {
    claim_by_provider_id[provider_id] = name;
    claim_by_instance_id[instance_id(provider_id)] = name;
  }

  // Returns an empty string, which is no claim's name, if `id` has no entry. Locks `mutex`.
  static std::string name_in(const ClaimNames& names, const std::string& id, std::mutex& mutex) {
    const std::lock_guard lock(mutex);
    const auto it = names.find(id);
    return it == names.end() ? std::string() : it->second;
  }

 private:
  static std::vector<PodPtr>::iterator position(std::vector<PodPtr>& pods, const PodPtr& pod) {
    return std::lower_bound(pods.begin(), pods.end(), pod, before);
  }
  static std::string instance_id(const std::string& provider_id) {
    return provider_id.substr(provider_id.rfind('/') + 1);
  }
  static void take_from(std::map<std::string, std::map<std::string, PodPtr>>& index, const std::string& outer,
                        const std::string& key) {
    const auto it = index.find(outer);
    if (it == index.end()) return;
    it->second.erase(key);
    if (it->second.empty()) index.erase(it);
  }
};

Cluster::Cluster(runtime::Runtime& runtime, kube::Client& client, Ledger& ledger, ClusterOptions options)
    : node_pools_(runtime, client, kube::kNodePools, codec::decode_node_pool),
      provisioners_(runtime, client, kube::kProvisioners, codec::decode_provisioner),
      current_classes_(runtime, client, kube::kNodeClasses, codec::decode_node_class),
      node_templates_(runtime, client, kube::kNodeTemplates, codec::decode_node_template),
      inline_providers_(runtime, client, kube::kProvisioners, codec::decode_inline_provider),
      kwok_classes_(runtime, client, kube::kKwokNodeClasses, codec::decode_kwok_class),
      global_settings_(runtime, client, kube::kConfigMaps, codec::decode_global_settings,
                       {.ns = options.settings_namespace, .field_selector = "metadata.name=" + std::string(kSettings)}),
      pods(runtime, client, kube::kPods, pod_decoder()),
      nodes(runtime, client, kube::kNodes, codec::decode_node),
      claims(runtime, client, kube::kNodeClaims, codec::decode_node_claim),
      pools(node_pools_, {{provisioners_, std::string(model::kProvisionerPrefix)}},
            [this](const model::NodePool& pool) { return model::with_settings(pool, settings()); }),
      node_classes(current_classes_,
                   {{node_templates_, std::string(model::kNodeTemplatePrefix)},
                    {inline_providers_, std::string(model::kProvisionerPrefix)},
                    {kwok_classes_, std::string(model::kKwokClassPrefix)}},
                   [this](const model::NodeClass& node_class) {
                     if (model::is_kwok_class(node_class.meta.name)) return node_class;
                     return model::with_settings(node_class, settings(), default_ami_alias());
                   }),
      daemon_sets(runtime, client, kube::kDaemonSets, codec::decode_daemon_set),
      disruption_budgets(runtime, client, kube::kDisruptionBudgets, codec::decode_disruption_budget),
      volume_claims(runtime, client, kube::kPersistentVolumeClaims, codec::decode_volume_claim),
      volumes(runtime, client, kube::kPersistentVolumes, codec::decode_volume),
      storage_classes(runtime, client, kube::kStorageClasses, codec::decode_storage_class),
      csi_nodes(runtime, client, kube::kCsiNodes, codec::decode_csi_node),
      volume_attachments(runtime, client, kube::kVolumeAttachments, codec::decode_volume_attachment),
      namespaces(runtime, client, kube::kNamespaces, codec::decode_metadata),
      node_overlays(runtime, client, kube::kNodeOverlays, codec::decode_node_overlay),
      capacity_buffers(runtime, client, kube::kCapacityBuffers, codec::decode_capacity_buffer),
      pod_templates(runtime, client, kube::kPodTemplates, codec::decode_pod_source),
      deployments(runtime, client, kube::kDeployments, codec::decode_pod_source),
      stateful_sets(runtime, client, kube::kStatefulSets, codec::decode_pod_source),
      replica_sets(runtime, client, kube::kReplicaSets, codec::decode_pod_source),
      services(runtime, client, kube::kServices, selector_decoder(kube::kServices)),
      replication_controllers(runtime, client, kube::kReplicationControllers,
                              selector_decoder(kube::kReplicationControllers)),
      replica_set_selectors(runtime, client, kube::kReplicaSets, selector_decoder(kube::kReplicaSets)),
      stateful_set_selectors(runtime, client, kube::kStatefulSets, selector_decoder(kube::kStatefulSets)),
      runtime_(runtime),
      client_(client),
      ledger_(ledger),
      options_(std::move(options)),
      informers_(informers_for(options_)),
      indexes_(std::make_unique<Indexes>()),
      default_spread_(options_.default_spread, [this] {
        SnapshotSpread::PodSelectors all;
        for (const auto* kind :
             {&services, &replication_controllers, &replica_set_selectors, &stateful_set_selectors}) {
          for (auto& selector : kind->list()) all.push_back(std::move(selector));
        }
        return all;
      }) {
  for (auto* kind : {&services, &replication_controllers, &replica_set_selectors, &stateful_set_selectors}) {
    kind->on_change([this](const auto& change) {
      const bool same = change.before && change.after && change.before->selector == change.after->selector;
      if (!same) default_spread_.selectors_changed();  // most changes affect a status only
    });
  }
  if (options_.manages) {
    // An unreadable object whose reference is unreadable too may be ours. It is kept, so that nothing it refers to is
    // changed.
    const auto kept = [this](const auto& object, const model::NodeClassRef& ref) {
      return options_.manages(ref) || (ref.kind.empty() && !model::unreadable(object).empty());
    };
    claims.keep_only([kept](const model::NodeClaim& claim) { return kept(claim, claim.node_class_ref); });
    node_pools_.keep_only(
        [kept](const model::NodePool& pool) { return kept(pool, pool.node_template.node_class_ref); });
  }
  inline_providers_.keep_only(
      [](const model::NodeClass& node_class) { return model::is_inline_provider(node_class.meta.name); });
  if (options_.absent) {
    node_overlays.on_absent([this] { options_.absent("NodeOverlay"); });
    capacity_buffers.on_absent([this] { options_.absent("CapacityBuffer"); });
    provisioners_.on_absent([this] { options_.absent("Provisioner"); });
    node_templates_.on_absent([this] { options_.absent("AWSNodeTemplate"); });
  }
  global_settings_.on_change([this](const auto&) {
    pools.refresh();
    node_classes.refresh();
  });
  pods.on_change([this](const Informer<model::Pod>::Change& change) {
    const std::lock_guard lock(mutex_);
    if (change.before) indexes_->remove(change.before);
    if (change.after) indexes_->add(change.after);
  });
  nodes.on_change([this](const Informer<model::Node>::Change& change) {
    const std::lock_guard lock(mutex_);
    indexes_->nodes.change(change.before, change.after);
    auto& index = indexes_->nodes_by_provider_id;
    if (change.before && !change.before->provider_id.empty()) {
      auto& names = index[change.before->provider_id];
      names.erase(change.key);
      if (names.empty()) index.erase(change.before->provider_id);
    }
    if (change.after && !change.after->provider_id.empty()) index[change.after->provider_id].insert(change.key);
  });
  claims.on_change([this](const Informer<model::NodeClaim>::Change& change) {
    {
      const std::lock_guard lock(mutex_);
      indexes_->nodes.change(change.before, change.after);
      if (change.before && !change.before->provider_id.empty()) indexes_->remove_claim(change.before->provider_id);
      if (change.after && !change.after->provider_id.empty()) {
        indexes_->add_claim(change.after->provider_id, change.key);
      }
    }
    ledger_.claim_changed(change.key, change.after.get());
  });
}

Cluster::~Cluster() { stop(); }

std::vector<kube::AnyInformer*> Cluster::informers_for(const ClusterOptions& options) {
  std::vector<kube::AnyInformer*> out{
      &pods,    &nodes,           &claims,    &node_pools_, &daemon_sets,        &disruption_budgets,
      &volumes, &storage_classes, &csi_nodes, &namespaces,  &volume_attachments, &volume_claims};
  out.push_back(selects_kwok(options) ? &kwok_classes_ : &current_classes_);
  if (options.node_overlays) out.push_back(&node_overlays);
  if (options.provisioners)
    out.insert(out.end(), {&provisioners_, &node_templates_, &inline_providers_, &global_settings_});
  if (options.capacity_buffers) {
    out.insert(out.end(), {&capacity_buffers, &pod_templates, &deployments, &stateful_sets, &replica_sets});
  }
  if (!options.default_spread.empty()) {
    out.insert(out.end(), {&services, &replication_controllers, &replica_set_selectors, &stateful_set_selectors});
  }
  return out;
}

void Cluster::start() {
  started_at_ = runtime_.now();
  for (kube::AnyInformer* informer : informers_) informer->start();
}

void Cluster::stop() {
  for (kube::AnyInformer* informer : informers_) informer->stop();
}

// An optional kind that the API server does not serve and whose cache is empty has no objects. The kinds that buffers
// refer to are irrelevant if there are no buffers.
bool Cluster::has_none(const kube::AnyInformer& cache) const {
  const bool of_buffers =
      &cache == &pod_templates || &cache == &deployments || &cache == &stateful_sets || &cache == &replica_sets;
  if (of_buffers) return has_none(capacity_buffers);
  const bool optional = &cache == &node_overlays || &cache == &capacity_buffers || &cache == &provisioners_ ||
                        &cache == &node_templates_ || &cache == &inline_providers_;
  return optional && cache.absent() && cache.size() == 0;
}

bool Cluster::caches_synced() const {
  return std::all_of(informers_.begin(), informers_.end(),
                     [&](const auto* informer) { return informer->synced() || has_none(*informer); });
}

std::vector<Obstacle> Cluster::cache_obstacles() const {
  const Instant now = runtime_.now();
  std::vector<Obstacle> out;
  for (const kube::AnyInformer* informer : informers_) {
    if (has_none(*informer)) continue;
    const kube::Trouble trouble = informer->trouble();
    if (!informer->synced() || informer->doubtful() || (trouble && now - trouble.since >= kStaleAfter))
      out.push_back({informer->type().kind, "", trouble.what, trouble.since});
  }
  return out;
}

bool Cluster::trusted() const { return cache_obstacles().empty(); }

bool Cluster::synced() const { return types_asked_ && caches_synced() && ledger_.settled(); }

void Cluster::types_asked() {
  types_asked_ = true;
  ledger_.changes().notify();
}

bool Cluster::await_synced(const std::stop_token& stop) const {
  while (true) {
    const uint64_t seen = ledger_.changes().version();
    if (synced()) return true;
    const Instant until = caches_synced() ? ledger_.next_expiry() : runtime_.now() + kCachesPoll;
    if (ledger_.changes().wait(seen, until, stop) == runtime::Wake::kStopped) return false;
  }
}

std::vector<Obstacle> Cluster::state_obstacles() const {
  std::vector<Obstacle> out;
  for (const ClaimPtr& claim : claims.list()) {
    if (claim->meta.deleting() || !claim->provider_id.empty()) continue;
    const auto* launched = model::find_condition(claim->conditions, model::kLaunched);
    const std::string why = launched && !launched->message.empty() ? ": " + launched->message : "";
    out.push_back({"NodeClaim", claim->meta.name, "has no provider id yet" + why, claim->meta.created_at, false});
  }
  if (!types_asked_) out.push_back({"NodePool", "", "the cloud was not asked for its instance types", started_at_});
  for (Obstacle& one : ledger_.obstacles()) out.push_back(std::move(one));
  return out;
}

void Cluster::on_unreadable(const std::function<void(const kube::Unreadable&)>& handler) {
  for (kube::AnyInformer* informer : informers_) informer->on_unreadable(handler);
}

model::GlobalSettings Cluster::settings() const {
  const auto found = global_settings_.get(options_.settings_namespace + "/" + std::string(kSettings));
  return found ? *found : model::GlobalSettings();
}

std::string Cluster::default_ami_alias() const {
  const std::lock_guard lock(mutex_);
  return model::default_ami_alias(kubernetes_version_);
}

bool Cluster::needs_kubernetes_version() const {
  return node_templates_.size() + inline_providers_.size() > 0 && default_ami_alias().empty();
}

void Cluster::set_kubernetes_version(const std::string& version) {
  {
    const std::lock_guard lock(mutex_);
    kubernetes_version_ = version;
  }
  node_classes.refresh();
}

std::shared_ptr<const model::NodeClass> Cluster::node_class_of(const model::NodePool& pool) const {
  auto node_class = node_classes.get(pool.node_template.node_class_ref.key());
  if (!node_class || !pool.kubelet) return node_class;
  auto with_kubelet = std::make_shared<model::NodeClass>(*node_class);
  with_kubelet->kubelet = *pool.kubelet;
  return with_kubelet;
}

std::shared_ptr<const model::NodeClass> Cluster::node_class_of(const model::NodeClaim& claim) const {
  const auto pool = pools.get(std::string(claim.pool()));
  const bool same = pool && pool->node_template.node_class_ref == claim.node_class_ref;
  return same ? node_class_of(*pool) : node_classes.get(claim.node_class_ref.key());
}

std::vector<NodePtr> Cluster::nodes_with_provider_id(const std::string& provider_id) const {
  std::set<std::string> names;
  {
    const std::lock_guard lock(mutex_);
    const auto it = indexes_->nodes_by_provider_id.find(provider_id);
    if (it != indexes_->nodes_by_provider_id.end()) names = it->second;
  }
  std::vector<NodePtr> out;
  for (const std::string& name : names) {
    if (NodePtr node = nodes.get(name)) out.push_back(std::move(node));
  }
  return out;
}

ClaimPtr Cluster::claim_with_provider_id(const std::string& provider_id) const {
  return claims.get(Indexes::name_in(indexes_->claim_by_provider_id, provider_id, mutex_));
}

ClaimPtr Cluster::claim_with_instance_id(const std::string& instance_id) const {
  return claims.get(Indexes::name_in(indexes_->claim_by_instance_id, instance_id, mutex_));
}

bool Cluster::manages(const model::Node& node) const {
  const model::StringMap& labels = node.meta.labels;
  const bool of_our_class = selects_kwok(options_) ? labels.contains(model::kLabelKwokClass)
                                                   : labels.contains(model::kLabelNodeClass) ||
                                                         labels.contains(model::kLabelNodeTemplate) ||
                                                         node.meta.annotations.contains(model::kAnnotationProvider);
  return of_our_class || (!node.provider_id.empty() && claim_with_provider_id(node.provider_id) != nullptr);
}

bool Cluster::foreign(const model::Node& node) const {
  return !model::pool_of(node.meta.labels).empty() && !manages(node);
}

std::vector<PodPtr> Cluster::pods_on(const std::string& node) const {
  const std::lock_guard lock(mutex_);
  const auto it = indexes_->pods_by_node.find(node);
  return it == indexes_->pods_by_node.end() ? std::vector<PodPtr>() : it->second;
}

Result<std::optional<model::NodeClaim>> Cluster::read_claim(const std::string& name,
                                                            const std::stop_token& stop) const {
  const auto answer = client_.get(kube::kNodeClaims, {"", name}, stop);
  if (!answer && answer.error().code == Code::kNotFound) return std::optional<model::NodeClaim>();
  if (!answer) return fail(answer.error());
  return std::optional(TRY(read_object(*answer, codec::decode_node_claim)));
}

Result<std::vector<model::NodeClaim>> Cluster::read_claims(const std::stop_token& stop) const {
  return read_all(client_, kube::kNodeClaims, codec::decode_node_claim, stop);
}

Result<std::vector<model::NodeClass>> Cluster::read_node_classes(const std::stop_token& stop) const {
  if (selects_kwok(options_)) return read_all(client_, kube::kKwokNodeClasses, codec::decode_kwok_class, stop);
  std::vector<model::NodeClass> all = TRY(read_all(client_, kube::kNodeClasses, codec::decode_node_class, stop));
  if (!options_.provisioners) return all;
  for (const auto& [type, decode] : {std::pair(kube::kNodeTemplates, &codec::decode_node_template),
                                     std::pair(kube::kProvisioners, &codec::decode_inline_provider)}) {
    const auto earlier = read_all<model::NodeClass>(client_, type, decode, stop);
    if (!earlier && earlier.error().code == Code::kNotFound) continue;
    if (!earlier) return fail(earlier.error());
    for (const model::NodeClass& node_class : *earlier) {
      if (!node_class.meta.name.empty()) all.push_back(node_class);
    }
  }
  return all;
}

Result<std::vector<PodPtr>> Cluster::read_pods_on(const std::string& node, const std::stop_token& stop) const {
  std::vector<PodPtr> out;
  for (model::Pod& pod : TRY(read_all<model::Pod>(client_, kube::kPods, codec::decode_pod, stop,
                                                  {.field_selector = "spec.nodeName=" + node})))
    out.push_back(std::make_shared<const model::Pod>(std::move(pod)));
  return out;
}

Snapshot Cluster::snapshot() const {
  Snapshot out = snapshot_as_it_is();
  default_spread_.apply(out);
  return out;
}

Snapshot Cluster::snapshot_as_it_is() const {
  Snapshot out;
  std::map<std::string, std::string> refused;
  out.pools = pool_views(refused);
  out.now = runtime_.now();  // the time of the nodes and pods: nothing below blocks
  // Nodes before pods: a pod that is bound in between is pending here too, and never lost.
  add_nodes(out);
  add_daemon_sets(out);
  out.disruption_budgets = disruption_budgets.list();
  out.volume_claims = by_key(volume_claims);
  out.volumes = by_key(volumes);
  out.storage_classes = by_key(storage_classes);
  out.csi_nodes = by_key(csi_nodes);
  for (const auto& ns : namespaces.list()) out.namespace_labels.emplace(ns->name, ns->labels);
  const std::lock_guard lock(mutex_);
  out.pending.reserve(indexes_->pending.size());
  for (const auto& [key, pod] : indexes_->pending) out.pending.push_back(pod);
  return out;
}

std::vector<scheduling::NodeView> Cluster::node_views() const {
  Snapshot out;
  out.now = runtime_.now();
  add_nodes(out);
  return std::move(out.nodes);
}

PoolUse Cluster::pool_use(const std::string& pool) const {
  const std::vector<ClaimPtr> expected = ledger_.expected();  // before the index, so that a claim is in one of them
  const std::vector<std::string> marked = ledger_.marked();
  const std::lock_guard lock(mutex_);
  return indexes_->nodes.use(pool, expected, marked);
}

std::shared_ptr<const model::PodSource> Cluster::pod_source(const std::string& kind, const std::string& key) const {
  if (kind == "PodTemplate") return pod_templates.get(key);
  if (kind == "Deployment") return deployments.get(key);
  return kind == "StatefulSet" ? stateful_sets.get(key) : replica_sets.get(key);
}

Snapshot Cluster::snapshot_with_buffers(scheduling::BufferStates& states) const {
  Snapshot out = snapshot_as_it_is();
  const size_t real = out.pending.size();  // sorted
  const auto find = [&](const std::string& kind, const std::string& ns,
                        const std::string& name) -> Result<std::shared_ptr<const model::PodSource>> {
    return pod_source(kind, ns + "/" + name);
  };
  for (const auto& buffer : capacity_buffers.list()) {
    if (buffer->meta.deleting()) continue;
    const auto virtual_pods =
        scheduling::resolve_buffer(*buffer, find, states[buffer->meta.ns + "/" + buffer->meta.name]);
    for (const model::Pod& pod : *virtual_pods) out.pending.push_back(std::make_shared<const model::Pod>(pod));
  }
  if (out.pending.size() > real) std::sort(out.pending.begin(), out.pending.end(), before);
  expect_open_launches(out);
  default_spread_.apply(out);
  return out;
}

void Cluster::add_nodes(Snapshot& out) const {
  const std::vector<ClaimPtr> expected = ledger_.expected();  // before the index, so that a claim is in one of them
  {
    const std::lock_guard lock(mutex_);
    out.nodes = indexes_->nodes.views(expected);
  }
  ledger_.annotate(out.nodes, out.now);
  const std::lock_guard lock(mutex_);
  indexes_->add_live(out.nodes);
}

void Cluster::add_daemon_sets(Snapshot& out) const {
  const auto sets = daemon_sets.list();
  const std::lock_guard lock(mutex_);
  for (const auto& set : sets) {
    const auto live = indexes_->pods_by_daemon_set.find(set->meta.uid);
    if (live == indexes_->pods_by_daemon_set.end()) {
      out.daemon_sets.push_back(set);
      continue;
    }
    const auto newest = std::max_element(live->second.begin(), live->second.end(), [](const auto& a, const auto& b) {
      return a.second->meta.created_at < b.second->meta.created_at;
    });
    out.daemon_sets.push_back(with_live_pod(*set, *newest->second));
  }
}

}  // namespace tenon::state
