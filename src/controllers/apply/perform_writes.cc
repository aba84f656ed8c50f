// Writes to the API server, except evictions.
// SPDX-License-Identifier: Apache-2.0
#include "controllers/apply/perform.h"
#include "json/json.h"
#include "json/patch.h"
#include "kube/codec/codec.h"
#include "kube/resource_types.h"
#include "log/messages.h"
#include "model/generations.h"
#include "model/kwok.h"
#include "model/labels.h"

namespace tenon::controllers {
namespace {

using json::value;

// Turns kNotFound into success: a write to an object that is gone has nothing left to do.
Status gone_is_fine(Status status) {
  if (!status && status.error().code == Code::kNotFound) return ok();
  return status;
}

// Makes a name of generateName as an API server does. parity: k8s.io/apiserver pkg/storage/names
std::string generated_name(const std::string& prefix, uint64_t random) {
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  constexpr size_t kSuffix = 5, kMaxName = 63;
  std::string name = prefix.substr(0, kMaxName - kSuffix);
  for (size_t i = 0; i < kSuffix; ++i, random /= kAlphabet.size()) name += kAlphabet[random % kAlphabet.size()];
  return name;
}

// True if the request may have been performed although no answer confirms it.
bool may_have_happened(const Error& error) {
  return error.code == Code::kTimeout || error.code == Code::kUnavailable || error.code == Code::kInternal;
}

log::Entry created_line(const plan::CreateNodeClaim& a, const std::string& name) {
  log::Fields about{.node_pool = std::string(model::object_name(a.claim.pool())), .node_claim = name};
  about.more.push_back({log::Key::kRequests, plan::log_amounts(a.claim.requests)});
  std::string types;
  for (const model::RequirementSpec& one : a.claim.requirements) {
    if (one.key == model::kLabelInstanceType && one.op == model::Operator::kIn) types = log::some_of(one.values);
  }
  about.more.push_back({log::Key::kInstanceTypes, types});
  if (a.log.empty()) return log::step(log::kCreatedNodeClaim, std::move(about));
  return log::decision(log::kCreatedNodeClaim, std::move(about), "nodeclaim/" + name + a.log);
}

template <class Object>
value changes_of(const Object& before, const Object& after) {
  return json::make_merge_patch(kube::codec::encode(before), kube::codec::encode(after));
}
template <class Large>
  requires requires(const Large& large) { kube::codec::encode(large, &large); }
value changes_of(const Large& before, const Large& after) {
  return json::make_merge_patch(kube::codec::encode(before, &after), kube::codec::encode(after, &before));
}

// Among 3,000 names of one NodePool two are equal with a probability of a quarter.
constexpr int kNameAttempts = 5;

}  // namespace

Result<model::NodeClaim> Perform::create(model::NodeClaim claim) {
  if (!claim.meta.name.empty()) return create_named(claim);
  for (int attempt = 1;; ++attempt) {
    claim.meta.name = generated_name(claim.meta.generate_name, services().runtime.random());
    Result<model::NodeClaim> created = create_named(claim);
    const bool taken = !created && created.error().code == Code::kAlreadyExists;
    if (!taken || attempt == kNameAttempts) return created;
  }
}

// A create without an answer is retried once under the same name, so that it never creates two claims.
Result<model::NodeClaim> Perform::create_named(const model::NodeClaim& claim) {
  const value document = kube::codec::encode(claim);
  if (services().gate) services().gate->creating(claim.meta.name);
  Result<value> created = services().client.create(kube::kNodeClaims, "", document, stop);
  if (!created && may_have_happened(created.error())) {
    created = services().client.create(kube::kNodeClaims, "", document, stop);
    if (!created && created.error().code == Code::kAlreadyExists)
      created = services().client.get(kube::kNodeClaims, {"", claim.meta.name}, stop);
    // It counts as created until its informer shows otherwise.
    if (!created && may_have_happened(created.error())) services().ledger.expect(claim);
  }
  if (!created) {
    const bool perhaps = may_have_happened(created.error()) || created.error().code == Code::kCancelled;
    if (services().gate && !perhaps) services().gate->not_created(claim.meta.name);
    return fail(created.error());
  }
  return kube::codec::decode_node_claim(*created);
}

Status Perform::operator()(const plan::CreateNodeClaim& a) {
  const model::NodeClaim claim = TRY(create(a.claim));
  const std::string& name = claim.meta.name;
  state::Ledger& ledger = services().ledger;
  if (a.nominate) ledger.nominate(name);
  if (!a.promise.empty()) ledger.promise(name, a.promise);
  ledger.expect(claim);
  for (plan::RecordEvent event : a.events) {
    event.message += "nodeclaim/" + name;
    TRY((*this)(event));
  }
  services().log.tell(created_line(a, name));
  outcome.created[index] = claim;
  return ok();
}

Status Perform::operator()(const plan::PatchNodeClaim& a) { return patch(kube::kNodeClaims, a); }
Status Perform::operator()(const plan::PatchNode& a) { return patch(kube::kNodes, a); }
Status Perform::operator()(const plan::PatchNodePool& a) {
  return patch(model::is_provisioner(a.after.meta.name) ? kube::kProvisioners : kube::kNodePools, a);
}
Status Perform::operator()(const plan::PatchNodeClass& a) {
  const std::string& name = a.after.meta.name;
  if (model::is_inline_provider(name)) return patch(kube::kProvisioners, a);
  if (model::is_kwok_class(name)) return patch(kube::kKwokNodeClasses, a);
  return patch(model::is_node_template(name) ? kube::kNodeTemplates : kube::kNodeClasses, a);
}
Status Perform::operator()(const plan::PatchNodeOverlay& a) { return patch(kube::kNodeOverlays, a); }
Status Perform::operator()(const plan::PatchCapacityBuffer& a) { return patch(kube::kCapacityBuffers, a); }
Status Perform::operator()(const plan::DeleteNodeClaim& a) {
  return remove(kube::kNodeClaims, {"", a.claim.meta.name}, a.claim.meta.uid, {});
}
Status Perform::operator()(const plan::DeleteNode& a) { return remove(kube::kNodes, {"", a.name}, a.uid, {}); }
Status Perform::operator()(const plan::DeletePod& a) {
  return remove(kube::kPods, {a.ns, a.name}, a.uid, a.grace_seconds);
}

Status Perform::remove(const kube::ResourceType& type, const kube::ObjectName& name, const std::string& uid,
                       std::optional<int64_t> grace) {
  kube::DeleteOptions options;
  options.uid = uid;
  options.grace_period_seconds = grace;
  return gone_is_fine(services().client.remove(type, name, options, stop));
}

// Sends metadata and spec in one patch, status in another; skips an empty patch.
template <class Action>
Status Perform::patch(const kube::ResourceType& type, const Action& a) {
  value changes = changes_of(a.before, a.after);
  value status;
  if (value* part = json::find(changes, {"status"})) {
    status = {{"status", std::move(*part)}};
    json::erase(changes, {"status"});
  }
  std::string version = a.before.meta.resource_version;
  const kube::ObjectName name{a.after.meta.ns, std::string(model::object_name(a.after.meta.name))};
  if (!changes.get_object().empty()) {
    kube::PatchOptions options;
    options.answer = status.is_object() ? kube::PatchAnswer::kMetadata : kube::PatchAnswer::kNothing;
    const value answer = TRY(send(type, name, std::move(changes), version, options));
    if (const auto now = json::string_at(answer, {"metadata", "resourceVersion"}); !now.empty()) version = now;
  }
  if (status.is_object()) {
    kube::PatchOptions options;
    options.subresource = "status";
    options.answer = kube::PatchAnswer::kNothing;
    TRY(send(type, name, std::move(status), version, options));
  }
  return ok();
}

// Returns the server's answer; null if the object is gone.
Result<value> Perform::send(const kube::ResourceType& type, const kube::ObjectName& name, value changes,
                            const std::string& version, const kube::PatchOptions& options) {
  const std::string object = type.plural + "/" + name.ns + "/" + name.name;
  if (!version.empty()) {
    if (applier.own_writes_.replaced(object, version)) {
      return fail(Code::kConflict, "patch " + object + ": this process has replaced version " + version);
    }
    json::ensure(changes, {"metadata", "resourceVersion"}) = version;
  }
  auto answer = services().client.patch(type, name, kube::PatchType::kMerge, changes, options, stop);
  if (!answer && answer.error().code == Code::kNotFound) return value();
  // A write without an effect keeps the version; an answer of PatchAnswer::kNothing does not say.
  const bool kept = answer && json::string_at(*answer, {"metadata", "resourceVersion"}) == version;
  if (answer && !version.empty() && !kept) applier.own_writes_.note(object, version);
  return answer;
}

}  // namespace tenon::controllers
