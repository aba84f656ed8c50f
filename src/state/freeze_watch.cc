// SPDX-License-Identifier: Apache-2.0
#include "state/freeze_watch.h"

#include <utility>

#include "kube/codec/freeze.h"
#include "kube/resource_types.h"

namespace tenon::state {

FreezeWatch::FreezeWatch(runtime::Runtime& runtime, kube::Client& client, std::string ns)
    : runtime_(runtime),
      ns_(std::move(ns)),
      informer_(runtime, client, kube::kConfigMaps, kube::codec::decode_freeze,
                {.ns = ns_, .field_selector = "metadata.name=" + std::string(model::kFreezeName)}) {}

void FreezeWatch::start() { informer_.start(); }
void FreezeWatch::stop() { informer_.stop(); }

void FreezeWatch::on_change(std::function<void()> handler) {
  informer_.on_change([handler = std::move(handler)](const auto&) { handler(); });
}

std::shared_ptr<const model::Freeze> FreezeWatch::object() const {
  return informer_.get(ns_ + "/" + std::string(model::kFreezeName));
}

bool FreezeWatch::unknown() const {
  if (!informer_.synced()) return true;
  const kube::Trouble trouble = informer_.trouble();
  return trouble && runtime_.now() - trouble.since >= kFreezeBlindAfter;
}

std::string FreezeWatch::not_ready() const {
  if (!unknown()) return {};
  return "ConfigMap " + ns_ + "/" + std::string(model::kFreezeName) + ": " + informer_.trouble().what;
}

Frozen FreezeWatch::frozen() const {
  // The state of the watch first: an object that is deleted between the two reads was known.
  if (const std::string why = not_ready(); !why.empty()) return {true, true, true, "until it is known: " + why};
  const auto freeze = object();
  if (!freeze || (!freeze->disruption && !freeze->launches)) return {};
  const std::string& why = freeze->fault.empty() ? freeze->reason : freeze->fault;
  return {freeze->disruption, freeze->launches, false,
          "by ConfigMap " + ns_ + "/" + freeze->meta.name + (why.empty() ? "" : " (" + why + ")")};
}

}  // namespace tenon::state
