// Helpers that several kinds share, in both directions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <vector>

#include "kube/codec/field.h"
#include "model/affinity.h"
#include "model/kubelet_config.h"
#include "model/meta.h"
#include "model/node_pool.h"
#include "model/pod.h"
#include "model/requirement.h"
#include "model/resources.h"
#include "model/taint.h"

namespace tenon::kube::codec {

model::ObjectMeta read_meta(const Field& metadata);
std::vector<model::Condition> read_conditions(const Field& conditions);
std::vector<model::Taint> read_taints(const Field& taints);
std::vector<model::Toleration> read_tolerations(const Field& tolerations);
// Gt, Lt and the label operators; `bounds` also permits Gte and Lte.
std::vector<model::RequirementSpec> read_requirements(const Field& list, bool bounds);
// A Pod, or a pod template.
model::Pod read_pod(const Field& pod);
// Read the parts of a pod: its spec (with the status fields that affect it), which the pods of a template share, and
// the rest.
model::PodSpec read_pod_spec(const Field& pod);
model::Pod read_pod_itself(const Field& pod);
std::optional<model::LabelSelector> read_selector(const Field& selector);
std::vector<model::SpreadConstraint> read_spread(const Field& constraints);
std::vector<model::NodeSelectorTerm> read_node_terms(const Field& terms);
model::NodeSelectorTerm read_node_term(const Field& term);
model::NodeClassRef read_node_class_ref(const Field& ref);
// The kubelet's configuration of a pool. Writes the first invalid field to `fault`; empty: none. node_class.cc.
model::KubeletConfig decode_kubelet(const boost::json::value& kubelet, std::string& fault);
// "Never" gives std::nullopt; an absent field gives `otherwise`.
model::OptionalDuration read_duration_or_never(const Field& field, model::OptionalDuration otherwise);

enum class Round { kUp, kDown };  // requests round up, capacities down
model::Resources read_resources(const Field& map, Round round);

// Whether a map must be written: it is not empty and differs from its counterpart (null: none).
template <class Map>
bool told(const Map& map, const Map* other) {
  return !map.empty() && (other == nullptr || map != *other);
}
// Omits labels that are equal in `unlike`, and annotations likewise.
boost::json::value write_meta(const model::ObjectMeta& meta, const model::ObjectMeta* unlike = nullptr);
boost::json::value write_conditions(const std::vector<model::Condition>& conditions);
boost::json::value write_taints(const std::vector<model::Taint>& taints);
boost::json::value write_requirements(const std::vector<model::RequirementSpec>& requirements);
boost::json::value write_resources(const model::Resources& resources);
boost::json::value write_string_map(const model::StringMap& map);
boost::json::value write_strings(const std::vector<std::string>& strings);

}  // namespace tenon::kube::codec
