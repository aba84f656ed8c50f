// SPDX-License-Identifier: Apache-2.0
#include "cli/plan_input.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string_view>
#include <unordered_map>

#include "cli/plan_claims.h"
#include "cli/plan_faults.h"
#include "cli/plan_unknown_fields.h"
#include "json/json.h"
#include "kube/codec/codec.h"
#include "kube/codec/default_spread.h"
#include "kube/codec/pod_decoder.h"
#include "model/labels.h"
#include "model/pod_specs.h"
#include "scheduling/default_spread.h"
#include "scheduling/overlay.h"
#include "scheduling/problem.h"
#include "state/node_views.h"

namespace tenon::cli {
namespace {

namespace codec = kube::codec;
using json::value;

constexpr Duration kDefaultAge = 1h;  // of an object without a creationTimestamp
constexpr std::string_view kScenarioConfigMap = "karpenter-oracle-scenario";
constexpr std::string_view kDefaultClass = "storageclass.kubernetes.io/is-default-class";
constexpr std::string_view kNoDevices =
    "pod has Dynamic Resource Allocation requirements; allocating devices is not supported, with or without "
    "--ignore-dra-requests";
constexpr std::string_view kNamespaceNameLabel = "kubernetes.io/metadata.name";

struct PriorityClass {
  int value = 0;
  bool global_default = false, never_preempts = false;
};

// "50%" or a number, of so many; rounded up. check_disruption_budget() has seen it.
int scaled(const value& v, int of) {
  if (v.is_int64()) return static_cast<int>(v.get_int64());
  return (std::atoi(v.get_string().c_str()) * of + 99) / 100;
}

// Returns the time that the ConfigMap of a scenario sets, if the document is that ConfigMap and sets one.
Result<std::optional<Instant>> time_of_scenario(const Document& d) {
  if (d.kind != "ConfigMap" || json::string_at(*d.object, {"metadata", "name"}) != kScenarioConfigMap) {
    return std::optional<Instant>();
  }
  const value* now = json::find(*d.object, {"data", "now"});
  if (!now) return std::optional<Instant>();
  const auto parsed = now->is_string() ? parse_rfc3339(now->get_string()) : std::nullopt;
  if (!parsed) return fail(Code::kInvalid, d.place("data.now: must be a time such as 2026-09-01T12:00:00Z"));
  return parsed;
}

}  // namespace

class PlanInputReader::Builder {
 public:
  explicit Builder(const InputOptions& options) : options_(options), default_spread_(options.default_spread) {}

  Status add(const Document& d) {
    if (d.group == "karpenter.sh" || d.group == "karpenter.k8s.aws") return add_karpenter(d);
    if (d.kind == "Pod") return add_pod(d);
    if (d.kind == "Node") return keep(d, codec::decode_node, nodes_, false);
    if (d.kind == "DaemonSet") return keep(d, codec::decode_daemon_set, daemon_sets_, true);
    if (d.kind == "PodDisruptionBudget") return add_budget(d);
    if (d.kind == "PersistentVolumeClaim") return add_volume_claim(d);
    if (d.kind == "PersistentVolume") return keep(d, codec::decode_volume, volumes_, false);
    if (d.kind == "StorageClass") return keep(d, codec::decode_storage_class, storage_classes_, false);
    if (d.kind == "CSINode") return keep(d, codec::decode_csi_node, csi_nodes_, false);
    if (d.kind == "Namespace") return add_namespace(d);
    if (d.kind == "PriorityClass") return add_priority_class(d);
    if (options_.capacity_buffers) TRY(buffers_.add(d));
    if (d.kind == "CapacityBuffer" && !options_.capacity_buffers) return without_gate(d, "CapacityBuffer");
    return add_selector(d);
  }

  // Once, after all documents.
  Result<PlanInput> build(const InputOptions& options) {
    options_ = options;
    scheduling::Snapshot& s = input_.snapshot;
    s.now = options.now;
    give_ages(nodes_, claims_, pools_, daemon_sets_, overlays_, volume_claims_, volumes_, storage_classes_, csi_nodes_,
              input_.node_classes);
    for (const PodRead& read : pods_) give_age(read.pod->meta);
    for (auto& [key, budget] : budgets_) give_age(budget.budget.meta);
    TRY(add_buffer_pods());
    for (const PodRead& read : pods_) finish_pod(read);
    add_nodes();
    sort_pods();
    place_pods();
    add_pools();
    fill_in_claims(s);
    add_daemon_sets();
    for (const auto& [key, budget] : budgets_) {
      s.disruption_budgets.push_back(std::make_shared<const model::PodDisruptionBudget>(finish_budget(budget)));
    }
    give_default_class();
    s.volume_claims = std::move(volume_claims_);
    s.volumes = std::move(volumes_);
    s.storage_classes = std::move(storage_classes_);
    s.csi_nodes = std::move(csi_nodes_);
    for (const PodByKey* waits : waiting_) sort_out(std::string(waits->key), *waits->pod);
    return std::move(input_);
  }

 private:
  struct PodRead {
    std::shared_ptr<model::Pod> pod;
    bool no_priority = false;  // it does not say one
  };
  struct PodByKey {
    std::string_view key;
    const std::shared_ptr<model::Pod>* pod;
    scheduling::NodeView* node;  // that it takes room on, if that is in the input
  };
  struct Budget {
    model::PodDisruptionBudget budget;
    std::shared_ptr<const value> document;
  };

  Status add_selector(const Document& d) {
    static const std::set<std::string_view> kKinds{"Service", "ReplicaSet", "StatefulSet", "ReplicationController"};
    if (options_.default_spread.empty() || !kKinds.contains(d.kind)) return ok();
    auto selector = codec::decode_pod_selector(*d.object, d.kind);
    if (!selector) return fail(Code::kInvalid, d.place(selector.error().message));
    if (selector->meta.ns.empty()) selector->meta.ns = "default";
    default_spread_.add(std::make_shared<const model::PodSelector>(*std::move(selector)));
    return ok();
  }

  Status without_gate(const Document& d, const std::string& gate) {
    input_.warnings.push_back(d.place(d.kind + " is ignored: the feature gate " + gate + " is off"));
    return ok();
  }

  Status add_karpenter(const Document& d) {
    if (d.kind == "NodeOverlay") {
      return options_.node_overlays ? keep(d, codec::decode_node_overlay, overlays_, false)
                                    : without_gate(d, "NodeOverlay");
    }
    const bool ours = d.kind == "NodePool" || d.kind == "NodeClaim" || d.kind == "EC2NodeClass" ||
                      d.kind == "Provisioner" || d.kind == "Machine" || d.kind == "AWSNodeTemplate";
    if (!ours) return ok();
    const bool upgraded = d.kind == "EC2NodeClass" && d.version == "v1beta1";
    if (d.version != "v1" && !upgraded) {
      return fail(Code::kInvalid, d.place("apiVersion: " + d.group + "/" + d.version + " " + d.kind +
                                          " cannot be read; convert it to " + d.group + "/v1"));
    }
    if (d.kind == "NodePool")
      return keep(without_malformed_durations(d, input_.warnings), codec::decode_node_pool, pools_, false);
    if (d.kind == "NodeClaim") return keep(d, codec::decode_node_claim, claims_, false);
    return keep(d, codec::decode_node_class, input_.node_classes, false);
  }

  // Decodes, fills in what every object has, and keeps it by key; of two with one name the later counts.
  template <class T>
  Result<T> decode(const Document& d, Result<T> (*decoder)(const value&, std::string*), bool namespaced) {
    Result<T> object = decoder(*d.object, nullptr);
    if (!object) return fail(Code::kInvalid, d.place(object.error().message));
    TRY(finish_meta(d, meta_of(*object), namespaced));
    return object;
  }
  template <class T>
  Status keep(const Document& d, Result<T> (*decoder)(const value&, std::string*), std::map<std::string, T>& into,
              bool namespaced) {
    T object = TRY(decode(d, decoder, namespaced));
    const model::ObjectMeta& meta = object.meta;
    const std::string key = namespaced ? meta.ns + "/" + meta.name : meta.name;
    into.insert_or_assign(key, std::move(object));
    return ok();
  }
  template <class T>
  static model::ObjectMeta& meta_of(T& object) {
    return object.meta;
  }
  static model::ObjectMeta& meta_of(model::ObjectMeta& meta) { return meta; }

  Status finish_meta(const Document& d, model::ObjectMeta& meta, bool namespaced) {
    if (meta.name.empty()) return fail(Code::kInvalid, d.place("metadata.name: missing"));
    if (!namespaced) {
      meta.ns.clear();
    } else if (meta.ns.empty()) {
      meta.ns = "default";
    }
    if (meta.uid.empty()) meta.uid = d.kind + "/" + meta.ns + "/" + meta.name;
    return ok();
  }

  void give_age(model::ObjectMeta& meta) const {
    if (meta.created_at == Instant{}) meta.created_at = options_.now - kDefaultAge;
  }
  template <class... Maps>
  void give_ages(Maps&... maps) const {
    const auto each = [this](auto& objects) {
      for (auto& [key, object] : objects) give_age(object.meta);
    };
    (each(maps), ...);
  }

  Status add_pod(const Document& d) {
    Result<model::Pod> decoded = pod_decoder_.decode(*d.object);
    if (!decoded) return fail(Code::kInvalid, d.place(decoded.error().message));
    TRY(finish_meta(d, decoded->meta, true));
    pods_.push_back(
        {std::make_shared<model::Pod>(*std::move(decoded)), json::find(*d.object, {"spec", "priority"}) == nullptr});
    return ok();
  }

  // Of two with one name the later counts. In the order of keys the pods lie all over the memory, and to fetch one
  // takes longer than to work on it. So one text holds the keys, and the nodes are looked up before the pods are
  // sorted.
  void sort_pods() {
    std::unordered_map<std::string_view, scheduling::NodeView*> by_name;
    for (scheduling::NodeView& view : input_.snapshot.nodes) {
      if (view.node) by_name[view.node->meta.name] = &view;
    }
    size_t bytes = 0;
    for (const PodRead& read : pods_) bytes += read.pod->meta.ns.size() + 1 + read.pod->meta.name.size();
    keys_.reserve(bytes);  // the views stay good
    by_key_.reserve(pods_.size());
    for (const PodRead& read : pods_) {
      const size_t begin = keys_.size();
      keys_.append(read.pod->meta.ns).append("/").append(read.pod->meta.name);
      const auto node = read.pod->terminal() ? by_name.end() : by_name.find(read.pod->node_name);
      by_key_.push_back(
          {std::string_view(keys_).substr(begin), &read.pod, node == by_name.end() ? nullptr : node->second});
    }
    std::stable_sort(by_key_.begin(), by_key_.end(),
                     [](const PodByKey& a, const PodByKey& b) { return a.key < b.key; });
    const auto last = std::unique(by_key_.rbegin(), by_key_.rend(), [](const PodByKey& later, const PodByKey& earlier) {
      return later.key == earlier.key;
    });
    by_key_.erase(by_key_.begin(), last.base());
  }

  Status add_budget(const Document& d) {
    TRY(check_disruption_budget(d));
    model::PodDisruptionBudget budget = TRY(decode(d, codec::decode_disruption_budget, true));
    const std::string key = budget.meta.ns + "/" + budget.meta.name;
    budgets_.insert_or_assign(key, Budget{std::move(budget), d.object});
    return ok();
  }

  Status add_volume_claim(const Document& d) {
    const auto meta = TRY(decode(d, codec::decode_metadata, true));
    const std::string key = meta.ns + "/" + meta.name;
    no_class_.erase(key);
    if (!json::find(*d.object, {"spec", "storageClassName"})) no_class_.insert(key);
    return keep(d, codec::decode_volume_claim, volume_claims_, true);
  }

  // A claim that names no class gets the default one; of several the newest. parity: k8s DefaultStorageClass
  void give_default_class() {
    const model::StorageClass* best = nullptr;
    for (const auto& [name, c] : storage_classes_) {
      if (model::lookup(c.meta.annotations, kDefaultClass) != "true") continue;
      if (!best || best->meta.created_at < c.meta.created_at) best = &c;
    }
    for (const std::string& key : no_class_) {
      if (best) volume_claims_.at(key).storage_class = best->meta.name;
    }
  }

  Status add_namespace(const Document& d) {
    const model::ObjectMeta meta = TRY(decode(d, codec::decode_metadata, false));
    input_.snapshot.namespace_labels[meta.name] = meta.labels;
    input_.snapshot.namespace_labels[meta.name].try_emplace(std::string(kNamespaceNameLabel), meta.name);
    return ok();
  }

  Status add_priority_class(const Document& d) {
    const model::ObjectMeta meta = TRY(decode(d, codec::decode_metadata, false));
    const value* number = json::find(*d.object, {"value"});
    if (!number || !number->is_int64()) return fail(Code::kInvalid, d.place("value: must be an integer"));
    priority_classes_[meta.name] = {static_cast<int>(number->get_int64()), json::bool_at(*d.object, {"globalDefault"}),
                                    json::string_at(*d.object, {"preemptionPolicy"}) == "Never"};
    return ok();
  }

  // Admission's part: the priority of the class. The scheduler's part: it has tried a pod that nothing is known about.
  void finish_pod(const PodRead& read) {
    const std::shared_ptr<model::Pod>& pod = read.pod;
    const Shared<model::PodSpec> before = pod->spec;
    if (read.no_priority) {
      for (const auto& [name, priority_class] : priority_classes_) {
        if (pod->spec->priority_class_name.empty() ? !priority_class.global_default
                                                   : name != pod->spec->priority_class_name)
          continue;
        pod->spec.edit().priority = priority_class.value;
        pod->spec.edit().preemption_never = priority_class.never_preempts;
      }
    }
    if (pod->node_name.empty() && pod->conditions.empty() && !pod->terminal()) {
      pod->conditions.push_back({.type = "PodScheduled",
                                 .status = "False",
                                 .reason = pod->spec->gated ? "SchedulingGated" : "Unschedulable",
                                 .message = "",
                                 .last_transition = pod->meta.created_at});
    }
    default_spread_.apply(*pod);
    if (pod->spec->uses_resource_claims && !options_.ignore_dra_requests && pod->spec->problem.empty()) {
      pod->spec.edit().problem = std::string(kNoDevices);
    }
    if (&*pod->spec != &*before) pod->spec = specs_.share(std::move(pod->spec));
  }

  Status add_buffer_pods() {
    std::vector<model::Pod> pods = TRY(buffers_.pods(options_.now, input_.buffers));
    for (model::Pod& pod : pods) {
      input_.buffer_of[pod.key()] = pod.spec->buffer;
      pods_.push_back({std::make_shared<model::Pod>(std::move(pod)), false});
    }
    return ok();
  }

  void add_nodes() {
    std::vector<std::shared_ptr<const model::Node>> nodes;
    for (auto& [name, node] : nodes_) {
      if (node.allocatable.empty()) node.allocatable = node.capacity;  // as the API server does
      nodes.push_back(std::make_shared<const model::Node>(std::move(node)));
    }
    std::vector<std::shared_ptr<const model::NodeClaim>> claims;
    for (auto& [name, claim] : claims_) claims.push_back(std::make_shared<const model::NodeClaim>(std::move(claim)));
    input_.snapshot.nodes = state::make_node_views(nodes, claims);
  }

  void place_pods() {
    const std::string* last = nullptr;  // namespace, of the pod before
    for (const PodByKey& entry : by_key_) {
      const std::shared_ptr<model::Pod>& pod = *entry.pod;
      if (!last || *last != pod->meta.ns) {
        last = &pod->meta.ns;
        input_.snapshot.namespace_labels[*last].try_emplace(std::string(kNamespaceNameLabel), *last);
      }
      if (entry.node) {
        entry.node->pods.edit().push_back(pod);
      } else if (pod->terminal()) {
        continue;
      } else if (pod->node_name.empty()) {
        waiting_.push_back(&entry);
      } else {
        input_.warnings.push_back("pod " + std::string(entry.key) + " runs on node " + pod->node_name +
                                  ", which is not in the input");
      }
    }
  }

  void add_pools() {
    for (auto& [name, pool] : pools_) {
      std::string why;
      const model::Condition* ready = model::find_condition(pool.conditions, "Ready");
      if (pool.meta.deleting()) {
        why = "is being deleted";
      } else if (const Status valid = model::validate(pool); !valid) {
        why = valid.error().message;
      } else if (!pool.conditions.empty() && !pool.ready()) {
        why = ready && !ready->message.empty() ? ready->message : "its condition Ready is not True";
      }
      if (std::string apart = scheduling::contradiction(pool); why.empty() && !apart.empty()) {
        input_.pools_not_ready[name] = std::move(apart);  // ready, but the solver leaves it out
      }
      if (!why.empty()) input_.pools_not_ready[name] = why;
      if (why.empty() && pool.replicas) why = "is static: its replicas are the only nodes it has";
      input_.snapshot.pools.push_back({std::make_shared<const model::NodePool>(std::move(pool)), options_.types, why});
    }
    price_types();
    std::vector<model::NodeOverlay> overlays;
    for (auto& [name, overlay] : overlays_) overlays.push_back(std::move(overlay));
    input_.overlays_refused = scheduling::apply_overlays(overlays, input_.snapshot.pools);
  }

  // What the account has committed itself to is used up by the nodes that are there.
  void price_types() {
    if (options_.price_file.empty() || !options_.types) return;
    std::map<std::pair<std::string, std::string>, int64_t> counts;
    for (const scheduling::NodeView& view : input_.snapshot.nodes) {
      const model::StringMap labels = view.labels();
      if (view.deleting() || model::lookup(labels, model::kLabelCapacityType) != model::kCapacityOnDemand) continue;
      ++counts[{std::string(model::lookup(labels, model::kLabelInstanceType)),
                std::string(model::lookup(labels, model::kLabelZone))}];
    }
    std::vector<catalog::RunningInstances> running;
    for (const auto& [key, count] : counts) running.push_back({key.first, key.second, count});
    auto types = *options_.types;
    catalog::apply_price_file(options_.price_file, options_.region, running, options_.now, types);
    const auto priced = std::make_shared<const std::vector<model::InstanceType>>(std::move(types));
    for (scheduling::PoolView& pool : input_.snapshot.pools) pool.types = priced;
  }

  void add_daemon_sets() {
    if (daemon_sets_.empty()) return;
    std::map<std::string, std::shared_ptr<const model::Pod>> newest;  // by namespace/name of the DaemonSet
    for (const PodByKey& entry : by_key_) {
      const std::shared_ptr<model::Pod>& pod = *entry.pod;
      const model::OwnerReference* owner = pod->controller();
      if (!owner || owner->kind != "DaemonSet" || pod->terminal()) continue;
      auto& best = newest[pod->meta.ns + "/" + owner->name];
      if (!best || best->meta.created_at < pod->meta.created_at) best = pod;
    }
    for (auto& [key, set] : daemon_sets_) {
      const auto live = newest.find(key);
      input_.snapshot.daemon_sets.push_back(live == newest.end()
                                                ? std::make_shared<const model::DaemonSet>(std::move(set))
                                                : state::with_live_pod(set, *live->second));
    }
  }

  // Without a status: what its controller would have written. parity: k8s pkg/controller/disruption
  model::PodDisruptionBudget finish_budget(const Budget& b) const {
    model::PodDisruptionBudget out = b.budget;
    if (json::find(*b.document, {"status", "disruptionsAllowed"}) || !out.selector) return out;
    int expected = 0, healthy = 0;
    for (const PodByKey& entry : by_key_) {
      const std::shared_ptr<model::Pod>& pod = *entry.pod;
      if (pod->meta.ns != out.meta.ns || pod->terminal() || !out.selector->matches(pod->meta.labels)) continue;
      ++expected;
      const bool ready = model::condition_is(pod->conditions, "Ready", "True");
      const bool says_nothing = !model::find_condition(pod->conditions, "Ready") && !pod->node_name.empty();
      if ((ready || says_nothing) && !pod->meta.deleting()) ++healthy;
    }
    int wanted = 0;
    if (const value* most = json::find(*b.document, {"spec", "maxUnavailable"}); most && !most->is_null()) {
      wanted = expected - scaled(*most, expected);
    } else if (const value* least = json::find(*b.document, {"spec", "minAvailable"}); least && !least->is_null()) {
      wanted = scaled(*least, expected);
    }
    out.disruptions_allowed = std::max(0, healthy - std::max(wanted, 0));
    return out;
  }

  // A pod that waits for a node: to be placed, or why not.
  void sort_out(const std::string& key, const std::shared_ptr<model::Pod>& pod) {
    if (!pod->spec->buffer.empty()) {
      input_.snapshot.pending.push_back(pod);  // what keeps it back is told by its buffer
    } else if (!pod->provisionable()) {
      input_.ignored[key] = why_not_provisionable(*pod);
    } else if (!pod->spec->problem.empty()) {
      input_.unplannable[key] = pod->spec->problem;
    } else if (std::string why = pod->spec->uses_resource_claims ? "" : scheduling::pod_problem(input_.snapshot, *pod);
               !why.empty()) {
      input_.ignored[key] = std::move(why);
    } else {
      input_.snapshot.pending.push_back(pod);
    }
  }

  static std::string why_not_provisionable(const model::Pod& pod) {
    if (pod.owned_by_daemon_set()) return "its DaemonSet places it";
    if (pod.owned_by_node()) return "a static pod belongs to its node";
    if (!pod.nominated_node_name.empty()) return "preemption makes room for it on node " + pod.nominated_node_name;
    if (pod.spec->gated) return "has scheduling gates";
    return "the scheduler has not marked it Unschedulable";
  }

  InputOptions options_;
  PlanInput input_;
  std::vector<PodRead> pods_;  // as they came
  std::string keys_;           // one behind the other
  std::vector<PodByKey> by_key_;
  std::vector<const PodByKey*> waiting_;  // for a node
  codec::PodDecoder pod_decoder_;
  model::PodSpecs specs_;           // of those that were changed
  std::set<std::string> no_class_;  // keys of volume claims
  std::map<std::string, PriorityClass> priority_classes_;
  std::map<std::string, model::Node> nodes_;
  std::map<std::string, model::NodeClaim> claims_;
  std::map<std::string, model::NodePool> pools_;
  std::map<std::string, model::DaemonSet> daemon_sets_;
  std::map<std::string, Budget> budgets_;
  std::map<std::string, model::NodeOverlay> overlays_;
  Buffers buffers_;
  scheduling::DefaultSpread default_spread_;
  std::map<std::string, model::PersistentVolumeClaim> volume_claims_;
  std::map<std::string, model::PersistentVolume> volumes_;
  std::map<std::string, model::StorageClass> storage_classes_;
  std::map<std::string, model::CsiNode> csi_nodes_;
};

struct PlanInputReader::Read {
  explicit Read(const InputOptions& options) : builder(options) {}
  Builder builder;
  UnknownFields unknown;
  Status status;                                 // the first error
  Result<std::optional<Instant>> scenario_time;  // of the first that names one
};

PlanInputReader::PlanInputReader(const InputOptions& options)
    : options_(options), read_(std::make_unique<Read>(options)) {}
PlanInputReader::~PlanInputReader() = default;

void PlanInputReader::restart() { read_ = std::make_unique<Read>(options_); }

void PlanInputReader::document(const Document& document) {
  if (read_->scenario_time && !*read_->scenario_time) read_->scenario_time = time_of_scenario(document);
  if (!read_->status) return;
  read_->status = read_->builder.add(document);
  if (read_->status) read_->unknown.look(document);
}

Result<std::optional<Instant>> PlanInputReader::scenario_time() const { return read_->scenario_time; }

Result<PlanInput> PlanInputReader::finish(const InputOptions& options) {
  TRY(std::move(read_->status));
  PlanInput input = TRY(read_->builder.build(options));
  for (std::string& warning : read_->unknown.warnings()) input.warnings.push_back(std::move(warning));
  return input;
}

Result<PlanInput> make_plan_input(const std::vector<Document>& documents, const InputOptions& options) {
  PlanInputReader reader(options);
  for (const Document& document : documents) reader.document(document);
  return reader.finish(options);
}

}  // namespace tenon::cli
