// SPDX-License-Identifier: Apache-2.0
#include "cloud/kwok_provider/node.h"

#include <fmt/format.h>

#include <algorithm>

#include "json/json.h"
#include "model/generations.h"
#include "model/kwok.h"
#include "model/labels.h"

namespace tenon::cloud {
namespace {

constexpr std::string_view kLabelPartition = "kwok-partition", kPartition = "a";
constexpr std::string_view kLabelPrice =
    "eks-node-viewer/instance-price";  // github.com/awslabs/eks-node-viewer shows it

json::value texts(const model::StringMap& map) {
  json::object out;
  for (const auto& [key, value] : map) out[key] = value;
  return out;
}

json::value amounts(const model::Resources& resources) {
  json::object out;
  for (const auto& [name, amount] : resources.entries()) out[name] = model::format_amount(name, amount);
  return out;
}

std::string price_label(model::Price price) {
  return fmt::format("{:.6f}", static_cast<double>(price.value()) / static_cast<double>(model::kPicoPerUsd));
}

model::StringMap labels_of(const model::NodeClaim& claim, const model::InstanceType& type,
                           const model::Offering& offering) {
  model::StringMap labels = claim.meta.labels;
  for (const auto& spec : claim.requirements) {
    if (spec.op == model::Operator::kIn && spec.values.size() == 1) labels[spec.key] = spec.values.front();
  }
  const auto wanted = model::Requirements::make(claim.requirements);
  for (const auto& [key, values] : type.labels) {
    // A type for several operating systems runs the first one that the claim allows.
    const auto value = std::find_if(values.begin(), values.end(), [&, key = key](const std::string& one) {
      return !wanted || wanted->get(key).allows(one);
    });
    if (value != values.end()) labels[key] = *value;
  }
  const auto put = [&](std::string_view key, std::string_view value) { labels[std::string(key)] = value; };
  put(model::kLabelZone, offering.zone);
  put(model::kLabelCapacityType, offering.capacity_type);
  put(model::kLabelHostname, claim.meta.name);
  put(model::kKwokNode, model::kKwokFake);
  put(kLabelPartition, kPartition);
  put(kLabelPrice, price_label(offering.price));
  return labels;
}

}  // namespace

std::string kwok_node_name(const model::NodeClaim& claim) {
  constexpr size_t kUidPart = 8, kMaxName = 253;
  const std::string prefix = "kwok-", suffix = "-" + claim.meta.uid.substr(0, kUidPart);
  return prefix + claim.meta.name.substr(0, kMaxName - prefix.size() - suffix.size()) + suffix;
}

json::value make_kwok_node(const model::NodeClaim& claim, const model::InstanceType& type,
                           const model::Offering& offering) {
  const std::string name = kwok_node_name(claim);
  return json::object{{"apiVersion", "v1"},
                      {"kind", "Node"},
                      {"metadata", json::object{{"name", name},
                                                {"labels", texts(labels_of(claim, type, offering))},
                                                {"annotations", json::object{{model::kKwokNode, model::kKwokFake}}}}},
                      {"spec", json::object{{"providerID", std::string(model::kKwokProviderPrefix) + name},
                                            {"taints", json::array{json::object{{"key", model::kTaintUnregistered},
                                                                                {"effect", "NoExecute"}}}}}},
                      {"status", json::object{{"capacity", amounts(type.capacity)},
                                              {"allocatable", amounts(type.allocatable())},
                                              {"phase", "Pending"}}}};
}

bool is_kwok_node(const model::Node& node) { return node.provider_id.starts_with(model::kKwokProviderPrefix); }

bool has_ended(const model::Node& node) {
  const auto& finalizers = node.meta.finalizers;
  return node.meta.deleting() &&
         std::find(finalizers.begin(), finalizers.end(), model::kFinalizerTermination) == finalizers.end();
}

Instance instance_of(const model::Node& node) {
  const model::StringMap& labels = node.meta.labels;
  const auto label = [&](std::string_view key) { return std::string(model::lookup(labels, key)); };
  Instance instance;
  instance.provider_id = node.provider_id;
  instance.instance_type = label(model::kLabelInstanceType);
  instance.zone = label(model::kLabelZone);
  instance.capacity_type = label(model::kLabelCapacityType);
  instance.claim_name = label(model::kLabelHostname);
  instance.pool = model::pool_of(labels);
  instance.labels = labels;
  instance.annotations = {{std::string(model::kKwokNode), std::string(model::kKwokFake)}};
  instance.capacity = node.capacity;
  instance.allocatable = node.allocatable;
  instance.launched_at = node.meta.created_at;
  return instance;
}

}  // namespace tenon::cloud
