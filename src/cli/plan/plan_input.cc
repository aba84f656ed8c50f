// SPDX-License-Identifier: Apache-2.0
#include "cli/plan/plan_input.h"

#include <set>
#include <string_view>

#include "cli/plan/plan_budgets.h"
#include "cli/plan/plan_claims.h"
#include "cli/plan/plan_faults.h"
#include "cli/plan/plan_objects.h"
#include "cli/plan/plan_pods.h"
#include "cli/plan/plan_unknown_fields.h"
#include "json/json.h"
#include "kube/codec/codec.h"
#include "kube/codec/earlier_api.h"
#include "model/generations.h"
#include "model/kwok.h"
#include "model/labels.h"
#include "scheduling/compile/problem.h"
#include "scheduling/input/overlay.h"
#include "scheduling/input/pool_check.h"
#include "state/node_views.h"

namespace tenon::cli {
namespace {

namespace codec = kube::codec;
using json::value;

constexpr std::string_view kScenarioConfigMap = "karpenter-oracle-scenario";
constexpr std::string_view kDefaultClass = "storageclass.kubernetes.io/is-default-class";

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
  explicit Builder(const InputOptions& options) : options_(options), pods_(options.default_spread) {}

  Status add(const Document& d) {
    if (d.group == "karpenter.sh" || d.group == "karpenter.k8s.aws") return add_karpenter(d);
    if (d.kind == "Pod") return pods_.add(d);
    if (d.kind == "Node") return keep_object(d, codec::decode_node, nodes_, false);
    if (d.kind == "DaemonSet") return keep_object(d, codec::decode_daemon_set, daemon_sets_, true);
    if (d.kind == "PodDisruptionBudget") return budgets_.add(d);
    if (d.kind == "PersistentVolumeClaim") return add_volume_claim(d);
    if (d.kind == "PersistentVolume") return keep_object(d, codec::decode_volume, volumes_, false);
    if (d.kind == "StorageClass") return keep_object(d, codec::decode_storage_class, storage_classes_, false);
    if (d.kind == "CSINode") return keep_object(d, codec::decode_csi_node, csi_nodes_, false);
    if (d.kind == "Namespace") return add_namespace(d);
    if (d.kind == "ConfigMap" && json::string_at(*d.object, {"metadata", "name"}) == "karpenter-global-settings") {
      settings_ = TRY(decode_object(d, codec::decode_global_settings, true));
      return ok();
    }
    if (d.kind == "PriorityClass") return pods_.add_priority_class(d);
    if (options_.capacity_buffers) TRY(buffers_.add(d));
    if (d.kind == "CapacityBuffer" && !options_.capacity_buffers) return without_gate(d, "CapacityBuffer");
    return pods_.add_selector(d);
  }

  // Called once, after all documents.
  Result<PlanInput> build(const InputOptions& options) {
    options_ = options;
    scheduling::Snapshot& s = input_.snapshot;
    s.now = options.now;
    give_ages(nodes_, claims_, pools_, daemon_sets_, overlays_, volume_claims_, volumes_, storage_classes_, csi_nodes_,
              input_.node_classes);
    TRY(add_buffer_pods());
    pods_.finish(options);
    add_nodes();
    pods_.place(input_);
    apply_settings();
    add_pools();
    fill_in_claims(s);
    add_daemon_sets();
    s.disruption_budgets = budgets_.finish(pods_, options.now);
    give_default_class();
    s.volume_claims = std::move(volume_claims_);
    s.volumes = std::move(volumes_);
    s.storage_classes = std::move(storage_classes_);
    s.csi_nodes = std::move(csi_nodes_);
    pods_.sort_out_waiting(input_);
    return std::move(input_);
  }

 private:
  Status without_gate(const Document& d, const std::string& gate) {
    input_.warnings.push_back(d.place(d.kind + " is ignored: the feature gate " + gate + " is off"));
    return ok();
  }

  Status add_karpenter(const Document& d) {
    if (d.kind == "NodeOverlay") {
      return options_.node_overlays ? keep_object(d, codec::decode_node_overlay, overlays_, false)
                                    : without_gate(d, "NodeOverlay");
    }
    const bool ours = d.kind == "NodePool" || d.kind == "NodeClaim" || d.kind == "EC2NodeClass" ||
                      d.kind == "Provisioner" || d.kind == "Machine" || d.kind == "AWSNodeTemplate";
    if (!ours) return ok();
    if (d.kind == "Provisioner" && d.version == "v1alpha5") return add_provisioner(d);
    if (d.kind == "AWSNodeTemplate" && d.version == "v1alpha1")
      return keep_object(d, codec::decode_node_template, input_.node_classes, false);
    const bool upgraded = d.kind == "EC2NodeClass" && d.version == "v1beta1";
    if (d.version != "v1" && !upgraded) {
      return fail(Code::kInvalid, d.place("apiVersion: " + d.group + "/" + d.version + " " + d.kind +
                                          " cannot be read; convert it to " + d.group + "/v1"));
    }
    if (d.kind == "NodePool")
      return keep_object(without_malformed_durations(d, input_.warnings), codec::decode_node_pool, pools_, false);
    if (d.kind == "NodeClaim") return keep_object(d, codec::decode_node_claim, claims_, false);
    return keep_object(d, codec::decode_node_class, input_.node_classes, false);
  }

  Status add_provisioner(const Document& d) {
    TRY(keep_object(d, codec::decode_provisioner, pools_, false));
    if (json::find(*d.object, {"spec", "provider"}) == nullptr) return ok();
    return keep_object(d, codec::decode_inline_provider, input_.node_classes, false);
  }

  // karpenter-global-settings decides about the objects of v0.27 only.
  void apply_settings() {
    for (auto& [name, pool] : pools_) {
      if (model::is_provisioner(name)) pool = model::with_settings(std::move(pool), settings_);
    }
    for (auto& [name, node_class] : input_.node_classes) {
      const bool earlier = model::is_node_template(name) || model::is_inline_provider(name);
      if (earlier) node_class = model::with_settings(std::move(node_class), settings_, "");
    }
  }

  template <class... Maps>
  void give_ages(Maps&... maps) const {
    const auto each = [this](auto& objects) {
      for (auto& [key, object] : objects) give_age(object.meta, options_.now);
    };
    (each(maps), ...);
  }

  Status add_volume_claim(const Document& d) {
    const auto meta = TRY(decode_object(d, codec::decode_metadata, true));
    const std::string key = meta.ns + "/" + meta.name;
    no_class_.erase(key);
    if (!json::find(*d.object, {"spec", "storageClassName"})) no_class_.insert(key);
    return keep_object(d, codec::decode_volume_claim, volume_claims_, true);
  }

  // Gives the default class to claims that name none; of several the newest. parity: k8s DefaultStorageClass
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
    const model::ObjectMeta meta = TRY(decode_object(d, codec::decode_metadata, false));
    input_.snapshot.namespace_labels[meta.name] = meta.labels;
    input_.snapshot.namespace_labels[meta.name].try_emplace(std::string(kNamespaceNameLabel), meta.name);
    return ok();
  }

  Status add_buffer_pods() {
    std::vector<model::Pod> pods = TRY(buffers_.pods(options_.now, input_.buffers));
    for (model::Pod& pod : pods) {
      input_.buffer_of[pod.key()] = pod.spec->buffer;
      pods_.add(std::move(pod));
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
      const bool kwok = model::is_kwok_class(pool.node_template.node_class_ref.key());
      input_.snapshot.pools.push_back(
          {std::make_shared<const model::NodePool>(std::move(pool)), kwok ? options_.kwok_types : options_.types, why});
    }
    price_types();
    std::vector<model::NodeOverlay> overlays;
    for (auto& [name, overlay] : overlays_) overlays.push_back(std::move(overlay));
    input_.overlays_refused = scheduling::apply_overlays(overlays, input_.snapshot.pools);
    scheduling::index_types(input_.snapshot);
  }

  // Applies the price file; existing nodes use up the account's commitments first.
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
    for (scheduling::PoolView& pool : input_.snapshot.pools) {
      if (pool.types == options_.types) pool.types = priced;
    }
  }

  void add_daemon_sets() {
    if (daemon_sets_.empty()) return;
    const auto newest = pods_.newest_of_daemon_sets();
    for (auto& [key, set] : daemon_sets_) {
      const auto live = newest.find(key);
      input_.snapshot.daemon_sets.push_back(live == newest.end()
                                                ? std::make_shared<const model::DaemonSet>(std::move(set))
                                                : state::with_live_pod(set, *live->second));
    }
  }

  InputOptions options_;
  PlanInput input_;
  Pods pods_;
  Budgets budgets_;
  std::set<std::string> no_class_;  // keys of volume claims
  std::map<std::string, model::Node> nodes_;
  std::map<std::string, model::NodeClaim> claims_;
  std::map<std::string, model::NodePool> pools_;
  model::GlobalSettings settings_;
  std::map<std::string, model::DaemonSet> daemon_sets_;
  std::map<std::string, model::NodeOverlay> overlays_;
  Buffers buffers_;
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
  if (read_->status) read_->unknown.check_document(document);
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
