// Events, calls of the cloud, and entries of the ledger.
// SPDX-License-Identifier: Apache-2.0
#include "controllers/apply/perform.h"

namespace tenon::controllers {

kube::EventSubject subject(const plan::ObjectRef& ref) {
  return {ref.api_version, ref.kind, ref.ns, ref.name, ref.uid};
}

Status Perform::operator()(const plan::RecordEvent& a) {
  services().events.record({subject(a.about), a.type, a.reason, a.message, a.dedupe});
  return ok();
}

Status Perform::operator()(const plan::RecordEvents& a) {
  for (const plan::RecordEvent& event : a.events) TRY((*this)(event));
  return ok();
}

Status Perform::operator()(const plan::LaunchInstance& a) {
  if (services().gate) {
    if (const auto hold = TRY(services().gate->judge_launch(a))) {
      outcome.held[index] = *hold;
      applier.report(*hold, a.claim, {});
      return ok();
    }
  }
  outcome.launched[index] = TRY(services().cloud.create(a.claim, a.node_class, a.types, stop));
  return ok();
}

Status Perform::operator()(const plan::TerminateInstance& a) {
  const Status removed = services().cloud.remove(a.provider_id, stop);
  if (!removed && removed.error().code != Code::kNotFound) return removed;
  if (!removed) outcome.gone.insert(a.provider_id);
  return ok();
}

Status Perform::operator()(const plan::TagInstance& a) {
  if (TRY(services().cloud.name_instance(a.claim, stop))) outcome.tagged.insert(a.claim.meta.name);
  return ok();
}

Status Perform::operator()(const plan::AvoidOffering& a) {
  services().cloud.taken_back(a.claim);
  return ok();
}

Status Perform::operator()(const plan::AnnounceEnd& a) {
  services().cloud.end_announced(a.claim);
  return ok();
}

Status Perform::operator()(const plan::CleanUpNodeClass& a) { return services().cloud.finalize(a.node_class, stop); }

Status Perform::operator()(const plan::RemoveStrayProfiles& a) {
  outcome.removed_profiles = TRY(services().cloud.remove_stray_profiles(a.in_use, stop));
  return ok();
}

Status Perform::operator()(const plan::Nominate& a) {
  for (const std::string* name : {&a.claim, &a.node}) {
    if (!name->empty()) services().ledger.nominate(*name);
  }
  return ok();
}

Status Perform::operator()(const plan::MarkForDeletion& a) {
  services().ledger.mark(a.claim, a.node);
  return ok();
}

Status Perform::operator()(const plan::UnmarkForDeletion& a) {
  services().ledger.unmark(a.claim);
  return ok();
}

Status Perform::operator()(const plan::PromiseRoom& a) {
  services().ledger.promise(a.node, a.pods);
  return ok();
}

Status Perform::operator()(const plan::HoldDrain& a) {
  services().ledger.hold_drain(a.claim, services().runtime.now() + a.at_most);
  return ok();
}

Status Perform::operator()(const plan::ReleaseDrain& a) {
  services().ledger.release_drain(a.claim);
  return ok();
}

}  // namespace tenon::controllers
