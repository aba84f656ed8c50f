// SPDX-License-Identifier: Apache-2.0
#include "controllers/tagging/controller.h"

#include "model/labels.h"
#include "model/unreadable.h"

namespace tenon::controllers::tagging {
namespace {

constexpr std::string_view kMarks[] = {model::kAnnotationTagged, model::kAnnotationClusterTagged};

}  // namespace

bool is_due(const model::NodeClaim& claim) {
  if (!claim.node_class_ref.of_aws()) return false;  // the tags are AWS's
  if (claim.meta.deleting() || claim.node_name.empty() || claim.provider_id.empty()) return false;
  for (const std::string_view mark : kMarks) {
    if (model::lookup(claim.meta.annotations, mark) != "true") return true;
  }
  return false;
}

plan::Plan decide(const model::NodeClaim& claim) {
  plan::Plan plan;
  plan.add(plan::TagInstance{claim});
  model::NodeClaim after = claim;
  for (const std::string_view mark : kMarks) after.meta.annotations[std::string(mark)] = "true";
  plan.add_if_changed(claim, after);
  return plan;
}

Controller::Controller(Context& context)
    : context_(context),
      loop_(context.runtime,
            {.name = "nodeclaim.tagging", .workers = 1, .log = context.log, .metrics = context.metrics.loops},
            [this](const std::string& key, const std::stop_token& stop) { return reconcile(key, stop); }) {
  context_.cluster.claims.on_change([this](const auto& change) {
    if (change.after && is_due(*change.after)) loop_.add(change.key);
  });
}

Result<Next> Controller::reconcile(const std::string& name, const std::stop_token& stop) {
  if (context_.runtime.sleep_until(writes_.due(context_.runtime.now()), stop) == runtime::Wake::kStopped) {
    return fail(Code::kCancelled, "stopped");
  }
  const auto claim = context_.cluster.claims.get(name);
  if (!claim || !model::unreadable(*claim).empty() || !is_due(*claim)) return Next{};
  const plan::Plan plan = decide(*claim);
  Outcome outcome;
  Status done = context_.applier.apply(plan, outcome, stop);
  if (!outcome.tagged.empty()) writes_.take(context_.runtime.now());
  // The instance is gone: other controllers handle it.
  if (const Error* error = outcome.failed(0, 1); error && error->code == Code::kNotFound) return Next{};
  TRY(std::move(done));
  return Next{};
}

}  // namespace tenon::controllers::tagging
