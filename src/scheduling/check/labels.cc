// Checks the labels of a planned node against the instances that it may become. Three directions:
//
//   promised → true   each planned label is the only value that the listed types and open offerings can have
//   pool → promised   each label of the NodePool's template, its name and its class are among the planned labels
//   required → there  each requirement that does not allow absence has a value
//
// Example: arch=amd64 is planned, but one of the listed types is arm64  →  "is not what the instances have".
// Equal nodes with equal lists of types are checked once.
//
// Cost: (labels + requirements) × listed types, from the Design's stored values.
// SPDX-License-Identifier: Apache-2.0
#include "model/labels.h"

#include "model/generations.h"
#include "model/node_class_label.h"
#include "scheduling/check/world.h"
#include "scheduling/input/solution.h"

namespace tenon::scheduling::check {
namespace {

model::StringMap labels_of_the_pool(const model::NodePool& pool) {
  model::StringMap labels = pool.node_template.labels;
  const auto [key, name] = model::pool_label(pool.meta.name);
  labels[std::string(key)] = name;
  model::add_node_class_label(pool.node_template.node_class_ref, labels);
  return labels;
}

}  // namespace

Status check_labels(const PlannedNode& planned, Choice& choice) {
  for (const auto& [key, value] : *planned.labels) {
    const auto& asked = planned.requirements.by_key();
    if (const auto r = asked.find(key); r != asked.end() && !r->second.allows(value))
      return broken("the label " + key + "=" + value + " is not what the requirements allow");
    if (choice.values(key) != Values{value})
      return broken("the label " + key + "=" + value + " is not what the instances have");
  }
  for (const auto& [key, value] : labels_of_the_pool(*choice.design().pool().view->pool)) {
    if (model::lookup(*planned.labels, key) != value) return broken("the label " + key + "=" + value + " is missing");
  }
  for (const auto& [key, r] : planned.requirements.by_key()) {
    const bool needed = !r.tolerates_absence() && key != model::kLabelHostname;  // each node has a hostname
    if (needed && choice.values(key).empty()) return broken("the label " + key + " is required and missing");
  }
  return ok();
}

}  // namespace tenon::scheduling::check
