// as_json() of workload.h.
// SPDX-License-Identifier: Apache-2.0
#include "json/json.h"
#include "model/labels.h"
#include "scheduling/input/snapshot.h"
#include "workload.h"

namespace tenon::bench {
namespace {

json::object selector_of(const std::optional<model::LabelSelector>& selector) {
  json::object out;
  for (const auto& [key, value] : selector->match_labels) out[key] = value;
  return out;
}

json::object resources_of(const model::Resources& resources) {
  return {{"cpuMilli", resources.get(model::kCpu)},
          {"memory", resources.get(model::kMemory)},
          {"pods", resources.get(model::kPods)}};
}

json::object pod_of(const model::Pod& pod) {
  json::object out{{"name", pod.meta.name}, {"requests", resources_of(pod.spec->requests)}};
  json::object labels;
  for (const auto& [key, value] : pod.meta.labels) labels[key] = value;
  out["labels"] = std::move(labels);
  const auto rules = [&](const char* name, const auto& list) {
    json::array rows;
    for (const auto& rule : list) {
      rows.push_back(json::object{{"key", rule.topology_key}, {"labels", selector_of(rule.selector)}});
    }
    if (!rows.empty()) out[name] = std::move(rows);
  };
  rules("spread", pod.spec->spread);
  rules("affinity", pod.spec->affinity.required_pods);
  rules("antiAffinity", pod.spec->affinity.required_anti_pods);
  json::array zones, apart;
  for (const auto& term : pod.spec->affinity.preferred_node_terms) {
    zones.push_back(
        json::object{{"weight", term.weight}, {"zone", term.term.match_expressions.front().values.front()}});
  }
  for (const auto& [weight, term] : pod.spec->affinity.preferred_anti_pods) {
    apart.push_back(
        json::object{{"weight", weight}, {"key", term.topology_key}, {"labels", selector_of(term.selector)}});
  }
  json::object selector;
  for (const auto& [key, value] : pod.spec->node_selector) selector[key] = value;
  if (!selector.empty()) out["nodeSelector"] = std::move(selector);
  if (!zones.empty()) out["preferZone"] = std::move(zones);
  if (!apart.empty()) out["preferApart"] = std::move(apart);
  return out;
}

json::object node_of(const scheduling::NodeView& view) {
  const model::StringMap labels = view.labels();
  json::array pods;
  for (const auto& pod : view.pods) pods.push_back(pod_of(*pod));
  return {{"name", view.name()},
          {"pool", std::string(view.pool())},
          {"type", std::string(model::lookup(labels, model::kLabelInstanceType))},
          {"zone", std::string(model::lookup(labels, model::kLabelZone))},
          {"capacityType", std::string(model::lookup(labels, model::kLabelCapacityType))},
          {"pods", std::move(pods)}};
}

json::object pool_of(const model::NodePool& pool) {
  json::object labels;
  for (const auto& [key, value] : pool.node_template.labels) labels[key] = value;
  return {{"name", pool.meta.name}, {"labels", std::move(labels)}};
}

}  // namespace

std::string as_json(const scheduling::Snapshot& snapshot) {
  json::object root;
  json::array types, daemons, pods;
  for (const model::InstanceType& type : *snapshot.pools.front().types) {
    json::array offerings;
    for (const model::Offering& o : type.offerings) {
      offerings.push_back(json::object{{"zone", o.zone},
                                       {"capacityType", o.capacity_type},
                                       {"price", static_cast<double>(o.price.value()) / model::kPicoPerUsd}});
    }
    types.push_back(json::object{{"name", type.name},
                                 {"capacity", resources_of(type.capacity)},
                                 {"overhead", resources_of(type.overhead)},
                                 {"offerings", std::move(offerings)}});
  }
  for (const auto& set : snapshot.daemon_sets) daemons.push_back(pod_of(set->pod_template));
  for (const auto& pod : snapshot.pending) pods.push_back(pod_of(*pod));
  json::array pools, nodes;
  for (const auto& view : snapshot.pools) pools.push_back(pool_of(*view.pool));
  for (const auto& view : snapshot.nodes) nodes.push_back(node_of(view));
  root["pools"] = std::move(pools);
  root["nodes"] = std::move(nodes);
  root["types"] = std::move(types);
  root["daemons"] = std::move(daemons);
  root["pods"] = std::move(pods);
  return boost::json::serialize(root);
}

}  // namespace tenon::bench
