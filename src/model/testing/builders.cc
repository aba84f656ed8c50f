// SPDX-License-Identifier: Apache-2.0
#include "model/testing/builders.h"

#include <array>

#include "base/check.h"
#include "base/text.h"
#include "model/labels.h"

namespace tenon::model::testing {
namespace {

Quantity quantity(std::string_view text) {
  const auto q = parse_quantity(text);
  CHECK(q.has_value(), text);
  return *q;
}

LabelSelector app_is(std::string app) { return {{{"app", std::move(app)}}, {}}; }

}  // namespace

PodBuilder::PodBuilder(std::string name) {
  pod_.meta.name = std::move(name);
  pod_.meta.ns = "default";
  pod_.meta.uid = "uid-" + pod_.meta.name;
  pod_.meta.created_at = kNow - 1min;
  pod_.conditions = {{"PodScheduled", "False", "Unschedulable", "", kNow, 0}};
  pod_.spec.edit().requests.set(kPods, 1);
}

PodBuilder& PodBuilder::ns(std::string name) {
  pod_.meta.ns = std::move(name);
  return *this;
}
PodBuilder& PodBuilder::request(std::string_view resource, std::string_view amount) {
  pod_.spec.edit().requests.set_ceil(resource, quantity(amount));
  return *this;
}
PodBuilder& PodBuilder::label(std::string key, std::string value) {
  pod_.meta.labels[std::move(key)] = std::move(value);
  return *this;
}
PodBuilder& PodBuilder::annotation(std::string key, std::string value) {
  pod_.meta.annotations[std::move(key)] = std::move(value);
  return *this;
}
PodBuilder& PodBuilder::select(std::string key, std::string value) {
  pod_.spec.edit().node_selector[std::move(key)] = std::move(value);
  return *this;
}
PodBuilder& PodBuilder::require(std::vector<RequirementSpec> term) {
  pod_.spec.edit().affinity.required_node_terms.push_back({std::move(term), {}});
  return *this;
}
PodBuilder& PodBuilder::prefer(int weight, std::vector<RequirementSpec> term) {
  pod_.spec.edit().affinity.preferred_node_terms.push_back({weight, {std::move(term), {}}});
  return *this;
}
PodBuilder& PodBuilder::tolerate(std::string key, std::string op, std::string value, std::string effect) {
  pod_.spec.edit().tolerations.push_back(
      {std::move(key), std::move(op), std::move(value), std::move(effect), std::nullopt});
  return *this;
}
PodBuilder& PodBuilder::spread(std::string topology_key, std::string app, int max_skew) {
  SpreadConstraint spread;
  spread.max_skew = max_skew;
  spread.topology_key = std::move(topology_key);
  spread.selector = app_is(std::move(app));
  pod_.spec.edit().spread.push_back(std::move(spread));
  return *this;
}
PodBuilder& PodBuilder::spread_anyway(std::string topology_key, std::string app, int max_skew) {
  spread(std::move(topology_key), std::move(app), max_skew);
  pod_.spec.edit().spread.back().schedule_anyway = true;
  return *this;
}
PodBuilder& PodBuilder::with(std::string topology_key, std::string app) {
  pod_.spec.edit().affinity.required_pods.push_back({app_is(std::move(app)), std::move(topology_key), {}, {}, {}, {}});
  return *this;
}
PodBuilder& PodBuilder::without(std::string topology_key, std::string app) {
  pod_.spec.edit().affinity.required_anti_pods.push_back(
      {app_is(std::move(app)), std::move(topology_key), {}, {}, {}, {}});
  return *this;
}
PodBuilder& PodBuilder::prefer_without(int weight, std::string topology_key, std::string app) {
  pod_.spec.edit().affinity.preferred_anti_pods.push_back(
      {weight, {app_is(std::move(app)), std::move(topology_key), {}, {}, {}, {}}});
  return *this;
}
PodBuilder& PodBuilder::host_port(int port) {
  pod_.spec.edit().host_ports.push_back({"", "TCP", port});
  return *this;
}
PodBuilder& PodBuilder::claim(std::string claim_name) {
  pod_.spec.edit().volumes.push_back({"data", std::move(claim_name), false, ""});
  return *this;
}
PodBuilder& PodBuilder::priority(int value) {
  pod_.spec.edit().priority = value;
  return *this;
}
PodBuilder& PodBuilder::created(Instant at) {
  pod_.meta.created_at = at;
  return *this;
}
PodBuilder& PodBuilder::owner(std::string kind, std::string name) {
  pod_.meta.owners.push_back({"apps/v1", std::move(kind), std::move(name), "uid-owner", true, true});
  return *this;
}
PodBuilder& PodBuilder::running_on(std::string node) {
  pod_.node_name = std::move(node);
  pod_.phase = "Running";
  pod_.conditions = {{"PodScheduled", "True", "", "", kNow, 0}, {"Ready", "True", "", "", kNow, 0}};
  return *this;
}

PoolBuilder::PoolBuilder(std::string name) {
  pool_.meta.name = std::move(name);
  pool_.meta.uid = "uid-" + pool_.meta.name;
  pool_.node_template.node_class_ref = {"karpenter.k8s.aws", "EC2NodeClass", "default"};
  pool_.conditions = {{"Ready", "True", "Ready", "", kNow, 0}};
}
PoolBuilder& PoolBuilder::require(std::string key, std::vector<std::string> values, Operator op,
                                  std::optional<int> min_values) {
  pool_.node_template.requirements.push_back({std::move(key), op, std::move(values), min_values});
  return *this;
}
PoolBuilder& PoolBuilder::label(std::string key, std::string value) {
  pool_.node_template.labels[std::move(key)] = std::move(value);
  return *this;
}
PoolBuilder& PoolBuilder::taint(std::string key, std::string value, std::string effect) {
  pool_.node_template.taints.push_back({std::move(key), std::move(value), std::move(effect), std::nullopt});
  return *this;
}
PoolBuilder& PoolBuilder::limit(std::string resource, std::string_view amount) {
  if (!pool_.limits) pool_.limits = Resources{};
  pool_.limits->set_floor(resource, quantity(amount));
  return *this;
}
PoolBuilder& PoolBuilder::weight(int value) {
  pool_.weight = value;
  return *this;
}
PoolBuilder& PoolBuilder::budget(std::string nodes, std::vector<std::string> reasons) {
  if (pool_.budgets == std::vector{Budget{}}) pool_.budgets.clear();
  pool_.budgets.push_back({std::move(reasons), std::move(nodes), "", std::nullopt});
  return *this;
}
PoolBuilder& PoolBuilder::policy(ConsolidationPolicy policy) {
  pool_.consolidation_policy = policy;
  return *this;
}

TypeBuilder::TypeBuilder(std::string name) {
  const auto [family, size] = cut(name, '.');
  type_.labels[std::string(kLabelInstanceType)] = {name};
  type_.labels[std::string(kLabelFamily)] = {std::string(family)};
  type_.labels[std::string(kLabelSize)] = {std::string(size)};
  type_.labels[std::string(kLabelArch)] = {"amd64"};
  type_.labels[std::string(kLabelOs)] = {"linux"};
  type_.labels[std::string(kLabelRegion)] = {"us-east-1"};
  type_.capacity.set(kPods, 110);
  type_.name = std::move(name);
}
TypeBuilder& TypeBuilder::capacity(std::string_view resource, std::string_view amount) {
  type_.capacity.set_floor(resource, quantity(amount));
  return *this;
}
TypeBuilder& TypeBuilder::overhead(std::string_view resource, std::string_view amount) {
  type_.overhead.set_ceil(resource, quantity(amount));
  return *this;
}
TypeBuilder& TypeBuilder::label(std::string key, std::vector<std::string> values) {
  type_.labels[std::move(key)] = std::move(values);
  return *this;
}
TypeBuilder& TypeBuilder::offer(std::string zone, std::string capacity_type, std::string_view usd, bool available) {
  Offering offering;
  offering.zone_id = "id-" + zone;
  offering.zone = std::move(zone);
  offering.capacity_type = std::move(capacity_type);
  offering.price = *parse_price(usd);
  offering.available = available;
  type_.offerings.push_back(std::move(offering));
  return *this;
}
TypeBuilder& TypeBuilder::reserve(std::string zone, std::string id, int instances, std::string_view usd) {
  offer(std::move(zone), std::string(kCapacityReserved), usd);
  type_.offerings.back().reservation_id = std::move(id);
  type_.offerings.back().reservation_type = "default";
  type_.offerings.back().reservation_capacity = instances;
  return *this;
}

std::vector<InstanceType> four_types() {
  struct Facts {
    const char *name, *cpu, *memory, *pods, *reserved_cpu, *reserved_memory, *usd;
  };
  constexpr std::array facts{
      Facts{"c5.large", "2", "3788Mi", "29", "70m", "574Mi", "0.085"},
      Facts{"m5.large", "2", "7577Mi", "29", "70m", "574Mi", "0.096"},
      Facts{"m5.xlarge", "4", "15155Mi", "58", "80m", "893Mi", "0.192"},
      Facts{"r5.large", "2", "15155Mi", "29", "70m", "574Mi", "0.126"},
  };
  constexpr std::array<std::pair<const char*, int64_t>, 4> zones{
      {{"us-east-1a", 35}, {"us-east-1b", 32}, {"us-east-1c", 38}, {"us-east-1d", 30}}};
  std::vector<InstanceType> types;
  for (const Facts& f : facts) {
    TypeBuilder type(f.name);
    type.cpu(f.cpu).memory(f.memory).capacity(kPods, f.pods).capacity(kEphemeralStorage, "20Gi");
    type.overhead(kCpu, f.reserved_cpu).overhead(kMemory, std::to_string(std::stoi(f.reserved_memory) + 100) + "Mi");
    type.label(std::string(kLabelCategory), {std::string(1, f.name[0])}).label(std::string(kLabelGeneration), {"5"});
    const Price price = *parse_price(f.usd);
    for (const auto& [zone, percent] : zones) {
      type.offer(zone, "on-demand", f.usd);
      type.offer(zone, "spot", format_usd(Price(price.value() / 100 * percent)));
    }
    types.push_back(type.build());
  }
  return types;
}

InstanceType known_type(std::string_view name) {
  for (InstanceType& type : four_types()) {
    if (type.name == name) return std::move(type);
  }
  CHECK(false, name);
  return {};
}

}  // namespace tenon::model::testing
