// SPDX-License-Identifier: Apache-2.0
#include "cloud/kwok_provider/kwok_provider.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "cloud/kwok_provider/node.h"
#include "cloud/kwok_provider/waiting_nodes.h"
#include "json/json.h"
#include "kube/codec/codec.h"
#include "kube/codec/kwok.h"
#include "kube/resource_types.h"
#include "model/generations.h"
#include "model/kwok.h"
#include "model/labels.h"

namespace tenon::cloud {
namespace {

Status check_ready(const model::NodeClass& node_class) {
  const std::string what = "NodeClassRef not ready, " + std::string(model::object_name(node_class.meta.name));
  if (node_class.meta.deleting()) return fail(Code::kConflict, what + " is being deleted");
  const model::Condition* ready = model::find_condition(node_class.conditions, "Ready");
  if (ready == nullptr || ready->status == "Unknown") {
    return fail(Code::kUnavailable, what + ": its readiness is not known yet");
  }
  if (ready->status != "True") return fail(Code::kConflict, what + ": " + ready->message);
  return ok();
}

struct Choice {
  const model::InstanceType* type = nullptr;
  const model::Offering* offering = nullptr;
};

// Returns the offerings of the lowest price that the claim allows.
Result<std::vector<Choice>> lowest_priced(const model::NodeClaim& claim,
                                          const std::vector<model::InstanceType>& types) {
  const auto wanted = TRY(model::Requirements::make(claim.requirements));
  const auto zones = wanted.get(model::kLabelZone), capacity_types = wanted.get(model::kLabelCapacityType);
  std::vector<Choice> best;
  for (const model::InstanceType& type : types) {
    if (!claim.requests.fits(type.allocatable()) || !wanted.intersects(type.requirements())) continue;
    for (const model::Offering& offering : type.offerings) {
      if (!offering.available || !zones.allows(offering.zone) || !capacity_types.allows(offering.capacity_type))
        continue;
      if (!best.empty() && offering.price < best.front().offering->price) best.clear();
      if (best.empty() || offering.price == best.front().offering->price) best.push_back({&type, &offering});
    }
  }
  if (best.empty()) return fail(Code::kInsufficientCapacity, "no offering is compatible with the claim");
  return best;
}

// Claims spread over offerings of one price, and a repeated launch of a claim chooses the same one.
Choice choose(const model::NodeClaim& claim, const std::vector<Choice>& equal) {
  const std::string& uid = claim.meta.uid;
  const auto sum = std::accumulate(uid.begin(), uid.end(), size_t{0},
                                   [](size_t total, char c) { return total + static_cast<unsigned char>(c); });
  return equal[sum % equal.size()];
}

Result<model::Node> read_node(const json::value& document) {
  std::string fault;  // an instance exists even if parts of its Node cannot be read
  return kube::codec::decode_node(document, &fault);
}

class KwokProvider final : public Provider {
 public:
  KwokProvider(runtime::Runtime& runtime, kube::Client& client, KwokProviderOptions options)
      : runtime_(runtime),
        client_(client),
        types_(std::make_shared<const std::vector<model::InstanceType>>(std::move(options.types))),
        waiting_(runtime, client, std::move(options.log)) {}

  bool manages(const model::NodeClassRef& ref) const override {
    return ref.group == model::kKwokGroup && ref.kind == model::kKwokClassKind;
  }

  Result<Instance> create(const model::NodeClaim& claim, const model::NodeClass& node_class, const InstanceTypes& types,
                          const std::stop_token& stop) override {
    TRY(check_ready(node_class));
    const std::string name = kwok_node_name(claim);
    if (auto waits = waiting_.find(std::string(model::kKwokProviderPrefix) + name)) return *std::move(waits);
    const Choice choice = choose(claim, TRY(lowest_priced(claim, types ? *types : *types_)));
    const json::value document = make_kwok_node(claim, *choice.type, *choice.offering);
    const Duration delay = TRY(registration_delay(node_class, stop));
    if (delay <= Duration(0)) {
      const auto created = client_.create(kube::kNodes, "", document, stop);
      if (created) return instance_of(TRY(read_node(*created)));
      if (created.error().code != Code::kAlreadyExists) return fail(created.error());
    }
    const auto there = read(name, stop);  // of an earlier call for this claim
    if (there && has_ended(*there)) return fail(Code::kUnavailable, "Node " + name + " is being deleted");
    if (there) return instance_of(*there);
    if (there.error().code != Code::kNotFound || delay <= Duration(0)) return fail(there.error());
    Instance instance = instance_of(TRY(read_node(document)));
    instance.launched_at = runtime_.now();
    waiting_.add(instance, std::make_shared<const json::value>(document), runtime_.now() + delay);
    return instance;
  }

  Status remove(const std::string& provider_id, const std::stop_token& stop) override {
    if (waiting_.remove(provider_id)) return ok();
    const model::Node node = TRY(find(provider_id, stop));
    const kube::ObjectName name{"", node.meta.name};
    json::array finalizers;
    for (const std::string& finalizer : node.meta.finalizers) {
      if (finalizer != model::kFinalizerTermination) finalizers.emplace_back(finalizer);
    }
    // The machine is off: nothing is left to drain.
    if (finalizers.size() != node.meta.finalizers.size()) {
      const json::value patch = json::object{{"metadata", json::object{{"resourceVersion", node.meta.resource_version},
                                                                       {"finalizers", std::move(finalizers)}}}};
      kube::PatchOptions options;
      options.answer = kube::PatchAnswer::kNothing;
      const auto patched = client_.patch(kube::kNodes, name, kube::PatchType::kMerge, patch, options, stop);
      if (!patched && patched.error().code == Code::kConflict) {  // of that version, not of a node class
        return fail(Code::kUnavailable, patched.error().message);
      }
      if (!patched) return fail(patched.error());
    }
    if (node.meta.deleting()) return ok();
    kube::DeleteOptions options;
    options.uid = node.meta.uid;
    return client_.remove(kube::kNodes, name, options, stop);
  }

  Result<Instance> get(const std::string& provider_id, const std::stop_token& stop) override {
    if (auto waits = waiting_.find(provider_id)) return *std::move(waits);
    return instance_of(TRY(find(provider_id, stop)));
  }

  Result<std::vector<Instance>> list(const std::stop_token& stop) override {
    std::vector<Instance> instances = waiting_.all();  // first: a Node that is created meanwhile is listed
    std::set<std::string> waiting;
    for (const Instance& instance : instances) waiting.insert(instance.provider_id);
    for (const json::value& document : TRY(client_.list(kube::kNodes, {}, stop)).items) {
      const auto node = read_node(document);
      if (!node || !is_kwok_node(*node) || has_ended(*node) || waiting.contains(node->provider_id)) continue;
      instances.push_back(instance_of(*node));
    }
    return instances;
  }

  Result<bool> name_instance(const model::NodeClaim& claim, const std::stop_token& stop) override {
    TRY(get(claim.provider_id, stop));
    return false;  // a Node has no tags
  }

  Result<InstanceTypes> instance_types(const model::NodeClass& node_class, const std::stop_token&) override {
    return known_types(node_class);
  }
  Result<InstanceTypes> known_types(const model::NodeClass& node_class) override {
    TRY(check_ready(node_class));
    return types_;
  }
  void learn(const model::NodeClaim&, const model::NodeClass&, const model::Resources&) override {}

  // A class needs nothing outside the cluster.
  Result<model::NodeClass> resolve(const model::NodeClass& node_class, const std::vector<model::NodePool>&,
                                   const std::stop_token&) override {
    model::NodeClass resolved = node_class;
    model::set_condition(resolved.conditions, {.type = "Ready",
                                               .status = "True",
                                               .reason = "Ready",
                                               .message = "",
                                               .last_transition = runtime_.now(),
                                               .observed_generation = node_class.meta.generation});
    return resolved;
  }
  std::string hash(const model::NodeClass&) const override { return {}; }
  std::string hash_version() const override { return {}; }
  Result<std::string> drifted(const model::NodeClaim&, const model::NodeClass&, const std::stop_token&) override {
    return std::string();
  }

  Status finalize(const model::NodeClass&, const std::stop_token&) override { return ok(); }
  Result<std::vector<std::string>> remove_stray_profiles(const std::set<std::string>&,
                                                         const std::stop_token&) override {
    return std::vector<std::string>();
  }
  void taken_back(const model::NodeClaim&) override {}

  Result<std::vector<SickInstance>> sick_instances(const std::stop_token&) override {
    return std::vector<SickInstance>();
  }
  Result<std::vector<Zone>> shifted_zones(const std::stop_token&) override { return std::vector<Zone>(); }
  std::vector<RepairPolicy> repair_policies() const override {
    return {{"Ready", "False", 10min}, {"Ready", "Unknown", 10min}};
  }

  std::string launch_failure(const Error&) const override { return "LaunchFailed"; }
  // A launch always takes the lowest price.
  Result<model::Price> highest_price(const model::NodeClaim& claim,
                                     const std::vector<model::InstanceType>& types) const override {
    return TRY(lowest_priced(claim, types)).front().offering->price;
  }

 private:
  // Errors: kNotFound, no such Node.
  Result<model::Node> read(const std::string& name, const std::stop_token& stop) {
    return read_node(TRY(client_.get(kube::kNodes, {"", name}, stop)));
  }

  // Errors: kNotFound, the instance has ended.
  Result<model::Node> find(const std::string& provider_id, const std::stop_token& stop) {
    if (!provider_id.starts_with(model::kKwokProviderPrefix)) {
      return fail(Code::kInvalid, "provider id '" + provider_id + "' is not kwok://<node>");
    }
    model::Node node = TRY(read(provider_id.substr(model::kKwokProviderPrefix.size()), stop));
    if (has_ended(node)) return fail(Code::kNotFound, "Node " + node.meta.name + " is being deleted");
    return node;
  }

  // Errors: kInsufficientCapacity, the class is gone: the claim cannot be launched.
  Result<Duration> registration_delay(const model::NodeClass& node_class, const std::stop_token& stop) {
    const std::string name(model::object_name(node_class.meta.name));
    const auto document = client_.get(kube::kKwokNodeClasses, {"", name}, stop);
    if (!document && document.error().code == Code::kNotFound) {
      return fail(Code::kInsufficientCapacity, document.error().message);
    }
    if (!document) return fail(document.error());
    return TRY_IN("KWOKNodeClass " + name, kube::codec::kwok_registration_delay(*document));
  }

  runtime::Runtime& runtime_;
  kube::Client& client_;
  const InstanceTypes types_;
  WaitingNodes waiting_;
};

}  // namespace

std::unique_ptr<Provider> make_kwok_provider(runtime::Runtime& runtime, kube::Client& client,
                                             KwokProviderOptions options) {
  return std::make_unique<KwokProvider>(runtime, client, std::move(options));
}

}  // namespace tenon::cloud
