// SPDX-License-Identifier: Apache-2.0
#include "controllers/tagging/controller.h"

#include "model/labels.h"
#include "model/unreadable.h"

namespace tenon::controllers::tagging {
namespace {

constexpr std::string_view kMarks[] = {model::kAnnotationTagged, model::kAnnotationClusterTagged};

}  // namespace

bool is_due(const model::NodeClaim& claim) {
  if (claim.meta.deleting() || claim.node_name.empty() || claim.provider_id.empty()) return false;
  for (const std::string_view mark : kMarks) {
    if (model::lookup(claim.meta.annotations, mark) != "true") return true;
  }
  return false;
}

Controller::Controller(Context& context)
    : context_(context),
      loop_(context.runtime, {.name = "nodeclaim.tagging", .workers = 1, .on_error = context.failed},
            [this](const std::string& key, const std::stop_token& stop) { return reconcile(key, stop); }) {
  context_.cluster.claims.on_change([this](const auto& change) {
    if (change.after && is_due(*change.after)) loop_.add(change.key);
  });
}

Result<Next> Controller::reconcile(const std::string& name, const std::stop_token& stop) {
  if (context_.runtime.sleep_until(next_write_, stop) == runtime::Wake::kStopped) {
    return fail(Code::kCancelled, "stopped");
  }
  const auto claim = context_.cluster.claims.get(name);
  if (!claim || !model::unreadable(*claim).empty() || !is_due(*claim)) return Next{};
  const auto written = context_.provider.name_instance(*claim, stop);
  if (!written && written.error().code == Code::kNotFound) return Next{};  // other controllers handle it
  if (!written) return fail(written.error());
  if (*written) next_write_ = context_.runtime.now() + kWriteInterval;
  model::NodeClaim after = *claim;
  for (const std::string_view mark : kMarks) after.meta.annotations[std::string(mark)] = "true";
  plan::Plan plan;
  plan.add_if_changed(*claim, after);
  TRY(context_.applier.apply(plan, stop));
  return Next{};
}

}  // namespace tenon::controllers::tagging
