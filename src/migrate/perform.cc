// SPDX-License-Identifier: Apache-2.0
#include "migrate/perform.h"

#include "json/json.h"
#include "kube/resource_types.h"
#include "migrate/observed.h"

namespace tenon::migrate {
namespace {

using json::value;

const kube::ResourceType* owner_type(std::string_view kind) {
  for (const kube::ResourceType* type : {&kube::kNodePools, &kube::kNodeClaims, &kube::kProvisioners}) {
    if (type->kind == kind) return type;
  }
  return nullptr;
}

}  // namespace

Status Performer::perform(const std::vector<Write>& writes, const std::function<void(const Write&)>& done,
                          const std::stop_token& stop) {
  for (const Write& write : writes) {
    if (stop.stop_requested()) return fail(Code::kCancelled, "stopped before: " + describe(write));
    TRY_IN(describe(write), perform(write, stop));
    done(write);
  }
  return ok();
}

Status Performer::perform(const Write& write, const std::stop_token& stop) {
  const kube::ObjectName name{"", write.name};
  value body = write.body;
  TRY(complete_owners(body, stop));
  const kube::PatchOptions nothing{.answer = kube::PatchAnswer::kNothing};
  const kube::PatchOptions status{.subresource = "status", .answer = kube::PatchAnswer::kNothing};
  std::vector<std::string> keys;
  switch (write.verb) {
    case Verb::kCreate: {
      const value created = TRY(client_.create(write.type, "", body, stop));
      uids_[write.type.kind + "/" + write.name] = uid_of(created);
      return ok();
    }
    case Verb::kPatch: TRY(client_.patch(write.type, name, kube::PatchType::kMerge, body, nothing, stop)); return ok();
    case Verb::kPatchStatus:
      TRY(client_.patch(write.type, name, kube::PatchType::kMerge, body, status, stop));
      return ok();
    case Verb::kRemove: {
      TRY(check_owns_nothing(write, stop));
      uids_.erase(write.type.kind + "/" + write.name);
      const Status removed = client_.remove(write.type, name, {.uid = write.uid}, stop);
      return !removed && removed.error().code == Code::kNotFound ? ok() : removed;
    }
    case Verb::kTag: return ec2_->create_tags(write.instances, write.tags, stop);
    case Verb::kUntag:
      for (const auto& [key, text] : write.tags) keys.push_back(key);
      return ec2_->delete_tags(write.instances, keys, stop);
  }
  return ok();
}

// Fills in the uids of owner references that have none.
Status Performer::complete_owners(value& body, const std::stop_token& stop) {
  value* owners = json::find(body, {"metadata", "ownerReferences"});
  if (owners == nullptr || !owners->is_array()) return ok();
  for (value& owner : owners->get_array()) {
    if (!json::string_at(owner, {"uid"}).empty()) continue;
    const std::string kind(json::string_at(owner, {"kind"})), name(json::string_at(owner, {"name"}));
    json::ensure(owner, {"uid"}) = TRY(uid_of_owner(kind, name, stop));
  }
  return ok();
}

Result<std::string> Performer::uid_of_owner(const std::string& kind, const std::string& name,
                                            const std::stop_token& stop) {
  const auto known = uids_.find(kind + "/" + name);
  if (known != uids_.end()) return known->second;
  const kube::ResourceType* type = owner_type(kind);
  if (type == nullptr) return fail(Code::kInvalid, "an owner of kind " + kind + " is not known");
  const value owner = TRY(client_.get(*type, {"", name}, stop));
  return uids_[kind + "/" + name] = uid_of(owner);
}

// The API server deletes what the object owns, and the nodes would be drained. The list is read now: something may have
// been created since the decision.
Status Performer::check_owns_nothing(const Write& write, const std::stop_token& stop) {
  if (write.type != kube::kProvisioners && write.type != kube::kNodePools) return ok();
  for (const kube::ResourceType* type : {&kube::kNodeClaims, &kube::kNodes}) {
    const kube::ListPage page = TRY(client_.list(*type, {}, stop));
    for (const value& object : page.items) {
      for (const value& owner : json::array_at(object, {"metadata", "ownerReferences"})) {
        if (json::string_at(owner, {"uid"}) == write.uid)
          return fail(Code::kConflict, "it owns " + type->kind + " " + name_of(object) + ", which would end with it; " +
                                           "run the command again");
      }
    }
  }
  return ok();
}

}  // namespace tenon::migrate
