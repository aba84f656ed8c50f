// SPDX-License-Identifier: Apache-2.0
#include "controllers/apply/create_claims.h"

#include "runtime/parallel.h"

namespace tenon::controllers {

std::vector<Result<model::NodeClaim>> create_claims(Context& context, const std::vector<plan::CreateNodeClaim>& claims,
                                                    const std::stop_token& stop) {
  std::vector<Result<model::NodeClaim>> created(claims.size(), fail(Code::kCancelled, "not begun"));
  const auto create = [&](size_t i, const std::stop_token& own_stop) {
    plan::Plan plan;
    plan.add(claims[i]);
    auto outcome = context.applier.apply(plan, own_stop);
    if (!outcome) {
      created[i] = fail(std::move(outcome.error()));
      return;
    }
    created[i] = std::move(outcome->created.front());
    context.cluster.expect(*created[i]);
  };
  runtime::in_parallel(context.runtime, "create", kCreatesInFlight, claims.size(), create, stop);
  return created;
}

Status failures_in(const std::vector<Result<model::NodeClaim>>& created) {
  const Error* first = nullptr;
  size_t count = 0;
  for (const auto& claim : created) {
    if (claim) continue;
    if (!first) first = &claim.error();
    ++count;
  }
  if (!first) return ok();
  if (created.size() == 1) return fail(*first);
  return fail(first->in(std::to_string(count) + " of " + std::to_string(created.size()) + " NodeClaims"));
}

}  // namespace tenon::controllers
