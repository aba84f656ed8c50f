// SPDX-License-Identifier: Apache-2.0
#include "cli/plan/plan_claims.h"

#include <variant>

#include "controllers/claim_conditions/decide.h"

namespace tenon::cli {
namespace {

using model::NodeClaim;
using scheduling::NodeView;
using scheduling::Snapshot;

void mark(NodeClaim& claim, std::string_view type) {
  model::set_condition(claim.conditions, {.type = std::string(type),
                                          .status = "True",
                                          .reason = std::string(type),
                                          .message = "",
                                          .last_transition = claim.meta.created_at,
                                          .observed_generation = claim.meta.generation});
}

NodeClaim judged(const Snapshot& snapshot, NodeClaim claim) {
  controllers::claim_conditions::View view{.claim = claim, .pool = {}, .now = snapshot.now};
  for (const auto& pool : snapshot.pools) {
    if (pool.pool->meta.name != claim.pool()) continue;
    view.pool = *pool.pool;
    view.types = pool.types.get();
  }
  const plan::Plan decided = controllers::claim_conditions::decide(view);
  for (const plan::Action& action : decided.actions) {
    if (const auto* patch = std::get_if<plan::PatchNodeClaim>(&action)) claim = patch->after;
  }
  return claim;
}

}  // namespace

void fill_in_claims(Snapshot& snapshot) {
  for (NodeView& view : snapshot.nodes) {
    if (!view.claim || !view.claim->conditions.empty() || view.claim->meta.deleting()) continue;
    NodeClaim claim = *view.claim;
    if (!claim.provider_id.empty()) mark(claim, model::kLaunched);
    if (view.node && view.registered()) mark(claim, model::kRegistered);
    if (view.node && view.initialized()) mark(claim, model::kInitialized);
    view.claim = std::make_shared<const NodeClaim>(judged(snapshot, std::move(claim)));
  }
}

}  // namespace tenon::cli
