// SPDX-License-Identifier: Apache-2.0
#include "storm/truth.h"

#include <algorithm>

#include "catalog/catalog.h"
#include "json/json.h"
#include "model/labels.h"

namespace tenon::storm {

using json::value;
using kubesim::Object;

std::vector<Object> Truth::list(const kubesim::Resource& resource) const {
  auto all = api.list(resource, "");
  return all ? std::move(all->items) : std::vector<Object>();
}

Object Truth::get(const kubesim::Resource& resource, std::string_view ns, std::string_view name) const {
  auto found = api.get(resource, ns, name);
  return found ? *found : nullptr;
}

Object Truth::claim_of(const value& node) const {
  const std::string id(json::string_at(node, {"spec", "providerID"}));
  for (const Object& claim : claims()) {
    if (!id.empty() && json::string_at(*claim, {"status", "providerID"}) == id) return claim;
  }
  return nullptr;
}

std::map<std::string, Object, std::less<>> Truth::claims_by_provider_id() const {
  std::map<std::string, Object, std::less<>> all;
  for (Object& claim : claims()) {
    const std::string_view id = json::string_at(*claim, {"status", "providerID"});
    if (!id.empty()) all.emplace(id, std::move(claim));
  }
  return all;
}

const std::vector<awssim::FakeInstance>& Truth::live_instances() const {
  const uint64_t version = aws.changed().version();
  if (live.version == version) return live.all;
  live.version = version;
  live.all.clear();
  aws.each_instance([&](const awssim::FakeInstance& i) {
    if (i.state == "pending" || i.state == "running") live.all.push_back(i);
  });
  return live.all;
}

std::string name_of(const value& object) { return std::string(json::string_at(object, {"metadata", "name"})); }
std::string key_of(const value& object) {
  return std::string(json::string_at(object, {"metadata", "namespace"})) + "/" + name_of(object);
}
std::string label(const value& object, std::string_view key) {
  return std::string(json::string_at(object, {"metadata", "labels", key}));
}
std::string annotation(const value& object, std::string_view key) {
  return std::string(json::string_at(object, {"metadata", "annotations", key}));
}
bool deleting(const value& object) { return json::find(object, {"metadata", "deletionTimestamp"}) != nullptr; }
Instant created_at(const value& object) {
  return parse_rfc3339(json::string_at(object, {"metadata", "creationTimestamp"})).value_or(Instant{});
}

bool is_true(const value& object, std::string_view condition) {
  const auto& conditions = json::array_at(object, {"status", "conditions"});
  return std::any_of(conditions.begin(), conditions.end(), [&](const value& c) {
    return json::string_at(c, {"type"}) == condition && json::string_at(c, {"status"}) == "True";
  });
}

std::string provider_id(const awssim::FakeInstance& instance) { return "aws:///" + instance.zone + "/" + instance.id; }

model::Price price_of(const std::string& type, const std::string& zone, const std::string& capacity_type) {
  const auto* facts = catalog::find_instance_type(type);
  if (!facts) return {};
  if (capacity_type != model::kCapacitySpot) return facts->on_demand.value_or(model::Price());
  for (const catalog::Zone& known : catalog::demo_zones()) {
    if (known.name == zone) return catalog::demo_spot_price(*facts, known).value_or(model::Price());
  }
  return {};
}

bool disrupted(const value& node) {
  const auto& taints = json::array_at(node, {"spec", "taints"});
  return std::any_of(taints.begin(), taints.end(),
                     [](const value& t) { return json::string_at(t, {"key"}) == model::kTaintDisrupted; });
}

bool on_node(const value& pod, std::string_view node) {
  const std::string_view phase = json::string_at(pod, {"status", "phase"});
  return json::string_at(pod, {"spec", "nodeName"}) == node && phase != "Succeeded" && phase != "Failed";
}

bool of_daemon_set(const value& pod) {
  const auto& owners = json::array_at(pod, {"metadata", "ownerReferences"});
  return std::any_of(owners.begin(), owners.end(),
                     [](const value& owner) { return json::string_at(owner, {"kind"}) == "DaemonSet"; });
}

bool refuses_disruption(const value& pod) { return annotation(pod, model::kAnnotationDoNotDisrupt) == "true"; }

bool selects(const value& budget, const value& pod) {
  if (json::string_at(budget, {"metadata", "namespace"}) != json::string_at(pod, {"metadata", "namespace"}))
    return false;
  const auto& wanted = json::object_at(budget, {"spec", "selector", "matchLabels"});
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& pair) {
    return pair.value().is_string() &&
           json::string_at(pod, {"metadata", "labels", pair.key()}) == std::string_view(pair.value().get_string());
  });
}

std::optional<Instant> protected_since(const std::vector<Object>& budgets, const value& pod) {
  std::optional<Instant> since;
  for (const Object& budget : budgets) {
    if (!selects(*budget, pod) || json::int_at(*budget, {"status", "disruptionsAllowed"}) > 0) continue;
    Instant forbids = created_at(*budget);
    for (const value& condition : json::array_at(*budget, {"status", "conditions"})) {
      if (json::string_at(condition, {"type"}) != "DisruptionAllowed") continue;
      forbids = parse_rfc3339(json::string_at(condition, {"lastTransitionTime"})).value_or(forbids);
    }
    since = std::min(since.value_or(forbids), forbids);
  }
  return since;
}

std::optional<Instant> deadline(const Truth& truth, const value& node) {
  const Object claim = truth.claim_of(node);
  if (!claim) return std::nullopt;
  return parse_rfc3339(annotation(*claim, model::kAnnotationTerminationTimestamp));
}

}  // namespace tenon::storm
