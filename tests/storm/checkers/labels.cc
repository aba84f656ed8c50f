// Labels: the labels of a NodeClaim and its Node must match the claim's requirements, and those that describe the
// instance must match it.
// SPDX-License-Identifier: Apache-2.0
#include "model/labels.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "catalog/catalog.h"
#include "json/json.h"
#include "model/generations.h"
#include "model/node_claim.h"
#include "storm/checkers/checker.h"

namespace tenon::storm {
namespace {

using awssim::FakeInstance;
using json::value;
using kubesim::Object;
using Labels = std::map<std::string, std::string, std::less<>>;

// Returns the labels that the instance's node must have.
Labels labels_of(const FakeInstance& instance) {
  Labels labels{{std::string(model::kLabelInstanceType), instance.type},
                {std::string(model::kLabelArch), instance.arch},
                {std::string(model::kLabelOs), "linux"},
                {std::string(model::kLabelZone), instance.zone},
                {std::string(model::kLabelZoneId), instance.zone_id},
                {std::string(model::kLabelCapacityType), instance.capacity_type}};
  if (const catalog::InstanceFacts* facts = catalog::find_instance_type(instance.type)) {
    labels.emplace(model::kLabelCategory, facts->category);
    labels.emplace(model::kLabelGeneration, facts->generation);
    labels.emplace(model::kLabelFamily, facts->family);
    labels.emplace(model::kLabelSize, facts->size);
    labels.emplace("karpenter.k8s.aws/instance-cpu", std::to_string(facts->vcpus));
    labels.emplace("karpenter.k8s.aws/instance-memory", std::to_string(facts->memory_mib));
    labels.emplace("karpenter.k8s.aws/instance-hypervisor", facts->hypervisor);
  }
  return labels;
}

bool listed(const json::array& values, std::string_view text) {
  return std::any_of(values.begin(), values.end(),
                     [&](const value& v) { return v.is_string() && std::string_view(v.get_string()) == text; });
}

std::optional<int64_t> whole(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

// Returns true if the object's label satisfies an entry of a NodeClaim's spec.requirements.
bool satisfies(const value& object, const value& requirement) {
  const std::string_view op = json::string_at(requirement, {"operator"});
  const value* found = json::find(object, {"metadata", "labels", json::string_at(requirement, {"key"})});
  if (found == nullptr || !found->is_string()) return op == "NotIn" || op == "DoesNotExist";
  const std::string_view text = found->get_string();
  const json::array& values = json::array_at(requirement, {"values"});
  if (op == "In") return listed(values, text);
  if (op == "NotIn") return !listed(values, text);
  if (op == "Exists") return true;
  if (op == "DoesNotExist") return false;
  const auto number = whole(text), bound = values.empty() ? std::nullopt : whole(values.front().get_string());
  if (!number || !bound) return false;
  if (op == "Gt") return *number > *bound;
  if (op == "Lt") return *number < *bound;
  if (op == "Gte") return *number >= *bound;
  return op == "Lte" && *number <= *bound;
}

bool bounds_a_number(const value& claim) {
  const json::array& requirements = json::array_at(claim, {"spec", "requirements"});
  return std::any_of(requirements.begin(), requirements.end(), [](const value& r) {
    const std::string_view op = json::string_at(r, {"operator"});
    return op.starts_with("Gt") || op.starts_with("Lt");
  });
}

class LabelsChecker : public Checker {
 public:
  LabelsChecker() : Checker("labels") {}

  void check(const Truth& truth) override {
    const auto claims = truth.claims_by_provider_id();
    for (const auto& [id, claim] : claims) {
      if (name_of(*claim).starts_with(kForeign) || !is_true(*claim, model::kLaunched) || !changed(claim)) continue;
      if (bounds_a_number(*claim)) saw();
      judge(truth, "NodeClaim", *claim, *claim, id);
    }
    for (const Object& node : truth.nodes()) {
      const auto claim = claims.find(json::string_at(*node, {"spec", "providerID"}));
      if (claim == claims.end() || name_of(*claim->second).starts_with(kForeign)) continue;
      if (label(*node, model::kLabelRegistered) != "true" || !changed(node)) continue;
      judge(truth, "Node", *node, *claim->second, claim->first);
    }
  }

 private:
  // Since the last check.
  bool changed(const Object& object) {
    Object& before = judged_[std::string(json::string_at(*object, {"metadata", "uid"}))];
    if (before == object) return false;
    before = object;
    return true;
  }

  void judge(const Truth& truth, const std::string& kind, const value& object, const value& claim,
             std::string_view id) {
    const std::string who = kind + " " + name_of(object) + " ";
    const std::string node_class(json::string_at(claim, {"spec", "nodeClassRef", "name"}));
    const bool earlier = json::string_at(claim, {"spec", "nodeClassRef", "kind"}) == model::kNodeTemplateKind;
    expect(truth, who, object, earlier ? model::kLabelNodeTemplate : model::kLabelNodeClass, node_class);
    for (const FakeInstance& instance : truth.live_instances()) {
      if (provider_id(instance) != id) continue;
      const auto labels = labels_of(instance);
      for (const auto& [key, wanted] : labels) expect(truth, who, object, key, wanted);
      for (const value& requirement : json::array_at(claim, {"spec", "requirements"})) {
        const std::string key(json::string_at(requirement, {"key"}));
        if (satisfies(object, requirement)) continue;
        fail(truth, who + "says " + key + "=" + label(object, key) + ", and requires " + json::to_string(requirement));
      }
    }
  }

  void expect(const Truth& truth, const std::string& who, const value& object, std::string_view key,
              const std::string& wanted) {
    const std::string found = label(object, key);
    if (found != wanted) fail(truth, who + "says " + std::string(key) + "=" + found + " of " + wanted);
  }

  std::map<std::string, Object> judged_;  // by uid
};

}  // namespace

std::unique_ptr<Checker> make_labels_checker() { return std::make_unique<LabelsChecker>(); }

}  // namespace tenon::storm
