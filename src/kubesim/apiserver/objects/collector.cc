// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/objects/collector.h"

#include "json/json.h"
#include "kubesim/apiserver/admit/metadata.h"
#include "kubesim/apiserver/kinds/crd.h"

namespace tenon::kubesim::apiserver {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;
using json::string_at;

const Resource kNamespaces{"", "namespaces"};
const Resource kServiceAccounts{"", "serviceaccounts"};
const Resource kConfigMaps{"", "configmaps"};
const Resource kDefinitions{"apiextensions.k8s.io", "customresourcedefinitions"};
constexpr std::string_view kRootCa = "kube-root-ca.crt";

const array& owners_of(const value& at) { return json::array_at(at, {"metadata", "ownerReferences"}); }
bool waits_for_dependents(const value& at) { return is_deleting(at) && has_finalizer(at, "foregroundDeletion"); }

bool blocks(const value& dependent, std::string_view owner_uid) {
  for (const value& owner : owners_of(dependent)) {
    if (string_at(owner, {"uid"}) == owner_uid) return json::bool_at(owner, {"blockOwnerDeletion"});
  }
  return false;
}

void drop_owner(value& at, std::string_view uid) {
  array kept;
  for (const value& owner : owners_of(at)) {
    if (string_at(owner, {"uid"}) != uid) kept.push_back(owner);
  }
  if (kept.empty())
    json::erase(at, {"metadata", "ownerReferences"});
  else
    json::ensure(at, {"metadata", "ownerReferences"}) = std::move(kept);
}

}  // namespace

Collector::Collector(Objects& objects, std::string ca_pem)
    : objects_(objects), ca_pem_(std::move(ca_pem)), wake_(objects.runtime().make_event()) {}

Collector::~Collector() = default;

void Collector::start() {
  task_ = objects_.runtime().spawn("apiserver-collector", [this](const std::stop_token& stop) { run(stop); });
}

void Collector::add(Work work) {
  {
    std::lock_guard lock(mutex_);
    if (!work_.insert(std::move(work)).second) return;
  }
  wake_->notify();
}

void Collector::enqueue(const Resource& resource, const StoreKey& key, const Object& before, const Object& after) {
  const Store::Place place{resource, key};
  if (after)
    add_for_change(place, before, *after);
  else
    add_for_removal(place, *before);
}

void Collector::add_for_change(const Store::Place& place, const Object& before, const value& after) {
  if (!owners_of(after).empty() && (!before || owners_of(*before) != owners_of(after))) {
    add({.kind = Work::Kind::kOwnersOf, .place = place});
  }
  if (place.resource == kNamespaces) add({.kind = Work::Kind::kNamespace, .place = place});
  if (!is_deleting(after)) return;
  if (waits_for_dependents(after) || has_finalizer(after, "orphan")) add({.kind = Work::Kind::kFinish, .place = place});
  if (place.resource == kDefinitions) add({.kind = Work::Kind::kDefinition, .place = place});
}

void Collector::add_for_removal(const Store::Place& place, const value& before) {
  Store& store = objects_.store();
  add({.kind = Work::Kind::kOrphansOf, .uid = std::string(string_at(before, {"metadata", "uid"}))});
  for (const value& owner : owners_of(before)) {
    if (auto at = store.find_uid(string_at(owner, {"uid"}))) add({.kind = Work::Kind::kFinish, .place = *at});
  }
  if (!place.key.ns.empty()) {
    const StoreKey ns{"", place.key.ns};
    const Object found = store.get(kNamespaces, ns);
    const bool own_content = place.resource == kServiceAccounts || place.resource == kConfigMaps;
    if (found && (is_deleting(*found) || own_content))
      add({.kind = Work::Kind::kNamespace, .place = {kNamespaces, ns}});
  }
  const StoreKey definition{"", place.resource.plural + "." + place.resource.group};
  if (!place.resource.group.empty() && store.get(kDefinitions, definition)) {
    add({.kind = Work::Kind::kDefinition, .place = {kDefinitions, definition}});
  }
}

void Collector::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const uint64_t seen = wake_->version();
    std::set<Work> batch;
    {
      std::lock_guard lock(mutex_);
      batch.swap(work_);
    }
    for (const Work& work : batch) {
      if (stop.stop_requested()) return;
      perform(work);
    }
    if (!batch.empty()) continue;
    if (wake_->wait(seen, kNever, stop) == runtime::Wake::kStopped) return;
  }
}

void Collector::perform(const Work& work) {
  switch (work.kind) {
    case Work::Kind::kOrphansOf:
      for (const Store::Place& place : objects_.store().dependents_of(work.uid)) check_owners(place);
      break;
    case Work::Kind::kOwnersOf: check_owners(work.place); break;
    case Work::Kind::kFinish: finish_deletion(work.place); break;
    case Work::Kind::kNamespace: tend_namespace(work.place.key.name); break;
    case Work::Kind::kDefinition: tend_definition(work.place); break;
  }
}

Target Collector::target(const Store::Place& place, std::string subresource) const {
  return {objects_.registry().get()->find(place.resource), place.key.ns, place.key.name, std::move(subresource)};
}

// Errors are ignored: a failed removal means that the object changed or no longer exists, and that change has queued
// its own work.
void Collector::remove(const Store::Place& place, const value& at, std::string_view policy) {
  const Target where = target(place);
  if (!where.info) return;
  const DeleteOptions options{.propagation_policy = std::string(policy),
                              .uid = std::string(string_at(at, {"metadata", "uid"}))};
  (void)objects_.remove(where, options, {});
}

void Collector::check_owners(const Store::Place& place) {
  Store& store = objects_.store();
  const Object found = store.get(place.resource, place.key);
  if (!found || owners_of(*found).empty()) return;
  std::vector<std::string> absent;
  size_t waiting = 0, solid = 0;
  for (const value& owner : owners_of(*found)) {
    const auto at = store.find_uid(string_at(owner, {"uid"}));
    const Object holder = at ? store.get(at->resource, at->key) : nullptr;
    if (!holder)
      absent.emplace_back(string_at(owner, {"uid"}));
    else if (waits_for_dependents(*holder) && json::bool_at(owner, {"blockOwnerDeletion"}))
      ++waiting;
    else
      ++solid;
  }
  if (solid == 0 && !is_deleting(*found)) {
    std::string_view policy = waiting != 0 ? "Foreground" : "Background";
    if (has_finalizer(*found, "orphan")) policy = "Orphan";
    if (waiting != 0 && store.dependents_of(string_at(*found, {"metadata", "uid"})).empty()) policy = "Background";
    remove(place, *found, policy);
  } else if (solid != 0 && !absent.empty()) {
    (void)objects_.modify(target(place),
                          [&](value& at) -> Done {
                            for (const std::string& uid : absent) drop_owner(at, uid);
                            return {};
                          },
                          {});
  }
}

void Collector::orphan_dependents(const value& owner) {
  const std::string uid(string_at(owner, {"metadata", "uid"}));
  for (const Store::Place& place : objects_.store().dependents_of(uid)) {
    const Target where = target(place);
    if (!where.info) continue;
    (void)objects_.modify(where,
                          [&](value& at) -> Done {
                            drop_owner(at, uid);
                            return {};
                          },
                          {});
  }
}

void Collector::finish_deletion(const Store::Place& place) {
  Store& store = objects_.store();
  const Object owner = store.get(place.resource, place.key);
  if (!owner || !is_deleting(*owner)) return;
  std::string_view finalizer;
  if (has_finalizer(*owner, "orphan")) {
    orphan_dependents(*owner);
    finalizer = "orphan";
  } else if (has_finalizer(*owner, "foregroundDeletion")) {
    const std::string uid(string_at(*owner, {"metadata", "uid"}));
    for (const Store::Place& dependent : store.dependents_of(uid)) check_owners(dependent);
    for (const Store::Place& dependent : store.dependents_of(uid)) {
      const Object left = store.get(dependent.resource, dependent.key);
      if (left && blocks(*left, uid)) return;
    }
    finalizer = "foregroundDeletion";
  } else {
    return;
  }
  const Target where = target(place);
  if (!where.info) return;
  (void)objects_.modify(where,
                        [&](value& at) -> Done {
                          drop_finalizer(at, finalizer);
                          return {};
                        },
                        {});
}

void Collector::create_namespace_content(const std::string& name) {
  const auto registry = objects_.registry().get();
  Store& store = objects_.store();
  if (!store.get(kServiceAccounts, {name, "default"})) {
    (void)objects_.create({registry->find(kServiceAccounts), name}, object{{"metadata", {{"name", "default"}}}}, {});
  }
  if (!ca_pem_.empty() && !store.get(kConfigMaps, {name, std::string(kRootCa)})) {
    (void)objects_.create({registry->find(kConfigMaps), name},
                          object{{"metadata", {{"name", kRootCa}}}, {"data", {{"ca.crt", ca_pem_}}}}, {});
  }
}

void Collector::tend_namespace(const std::string& name) {
  Store& store = objects_.store();
  const Object found = store.get(kNamespaces, {"", name});
  if (!found) return;
  if (!is_deleting(*found)) return create_namespace_content(name);
  for (const auto& [resource, count] : store.resources_in(name)) {
    for (const Object& content : store.list(resource, name).items) {
      if (!is_deleting(*content)) remove({resource, key_of(*content)}, *content, "Background");
    }
  }
  if (!store.resources_in(name).empty()) return;
  (void)objects_.modify(target({kNamespaces, {"", name}}, "finalize"),
                        [](value& at) -> Done {
                          json::erase(at, {"spec", "finalizers"});
                          return {};
                        },
                        {});
}

void Collector::tend_definition(const Store::Place& place) {
  Store& store = objects_.store();
  const Object found = store.get(kDefinitions, place.key);
  if (!found || !is_deleting(*found)) return;
  const Resource resource{std::string(string_at(*found, {"spec", "group"})),
                          std::string(string_at(*found, {"spec", "names", "plural"}))};
  for (const Object& instance : store.list(resource, "").items) {
    if (!is_deleting(*instance)) remove({resource, key_of(*instance)}, *instance, "Background");
  }
  if (store.count(resource) != 0) return;
  (void)objects_.modify(target(place),
                        [](value& at) -> Done {
                          drop_finalizer(at, kDefinitionFinalizer);
                          return {};
                        },
                        {});
}

}  // namespace tenon::kubesim::apiserver
