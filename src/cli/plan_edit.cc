// SPDX-License-Identifier: Apache-2.0
#include "cli/plan_edit.h"

#include <set>

#include "cloud/aws_provider/node_class_hash.h"
#include "json/json.h"
#include "json/yaml.h"
#include "kube/codec/common.h"
#include "model/structural_hash.h"

namespace tenon::cli {
namespace {

using json::value;

const model::NodePool* find_pool(const PlanInput& input, std::string_view name) {
  for (const auto& view : input.snapshot.pools) {
    if (view.pool->meta.name == name) return view.pool.get();
  }
  return nullptr;
}

std::string drift_reason(const PlanInput& before, const PlanInput& after, const model::NodeClaim& claim) {
  const model::NodePool* old_pool = find_pool(before, claim.pool());
  const model::NodePool* pool = find_pool(after, claim.pool());
  if (!pool) return {};
  if (old_pool && model::node_pool_hash(*old_pool) != model::node_pool_hash(*pool)) return "NodePoolDrifted";
  const auto wanted = model::Requirements::make(pool->node_template.requirements);
  if (wanted && !model::Requirements::from_labels(claim.meta.labels).compatible(*wanted, false))
    return "RequirementsDrifted";
  const auto old_class = before.node_classes.find(claim.node_class_ref.name);
  const auto now_class = after.node_classes.find(claim.node_class_ref.name);
  if (old_class == before.node_classes.end() || now_class == after.node_classes.end()) return {};
  const bool same = cloud::node_class_hash(old_class->second, "") == cloud::node_class_hash(now_class->second, "");
  return same ? "" : "NodeClassDrift";
}

Status only(const value& in, const std::string& where, const std::set<std::string_view>& fields) {
  if (!in.is_object()) return fail(Code::kInvalid, where + "must be an object");
  for (const auto& member : in.get_object()) {
    if (!fields.contains(member.key()))
      return fail(Code::kInvalid, where + "unknown field \"" + std::string(member.key()) + "\"");
  }
  return ok();
}

}  // namespace

std::vector<DriftedNode> mark_drifted(const PlanInput& before, PlanInput& after) {
  std::vector<DriftedNode> drifted;
  for (scheduling::NodeView& view : after.snapshot.nodes) {
    if (!view.claim || !view.claim->is(model::kLaunched)) continue;
    const std::string reason = drift_reason(before, after, *view.claim);
    if (reason.empty()) continue;
    drifted.push_back({view.name(), reason});
    auto claim = std::make_shared<model::NodeClaim>(*view.claim);
    model::set_condition(claim->conditions, {.type = std::string(model::kDrifted),
                                             .status = "True",
                                             .reason = reason,
                                             .message = reason,
                                             .last_transition = after.snapshot.now,
                                             .observed_generation = claim->meta.generation});
    view.claim = std::move(claim);
  }
  return drifted;
}

Result<std::vector<model::SpreadConstraint>> parse_scheduler_config(std::string_view text) {
  const std::vector<value> documents = TRY(json::parse_yaml(text));
  if (documents.size() != 1) return fail(Code::kInvalid, "must be one document");
  TRY(only(documents[0], "", {"podTopologySpread"}));
  const value* spread = json::find(documents[0], {"podTopologySpread"});
  if (!spread) return std::vector<model::SpreadConstraint>();
  TRY(only(*spread, "podTopologySpread: ", {"defaultConstraints"}));
  const std::string where = "podTopologySpread.defaultConstraints";
  for (const value& constraint : json::array_at(*spread, {"defaultConstraints"})) {
    TRY(only(constraint, where + ": ",
             {"maxSkew", "topologyKey", "whenUnsatisfiable", "minDomains", "nodeAffinityPolicy", "nodeTaintsPolicy"}));
  }
  kube::codec::Problem problem(documents[0]);
  const kube::codec::Field root(documents[0], problem);
  auto constraints = TRY(problem.take(kube::codec::read_spread(root["podTopologySpread"]["defaultConstraints"])));
  std::set<std::pair<std::string, bool>> seen;
  for (const model::SpreadConstraint& c : constraints) {
    if (c.max_skew <= 0) return fail(Code::kInvalid, where + ": maxSkew must be greater than 0");
    if (!model::valid_label_key(c.topology_key)) {
      return fail(Code::kInvalid, where + ": topologyKey \"" + c.topology_key + "\" is not a label key");
    }
    if (!seen.emplace(c.topology_key, c.schedule_anyway).second) {
      return fail(Code::kInvalid,
                  where + ": two constraints for " + c.topology_key + " with the same whenUnsatisfiable");
    }
  }
  return constraints;
}

}  // namespace tenon::cli
