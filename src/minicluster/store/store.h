// The minicluster's etcd: objects by resource, namespace and name, one revision counter for all of them, and per
// resource a ring log of changes from which watches read. It knows nothing of Kubernetes but metadata.resourceVersion,
// which it sets to the revision of each write.
//
//   Object before = store.get(pods, {"default", "web"});
//   value next = *before; …change it…
//   auto stored = store.commit(pods, {"default", "web"}, before, std::move(next));   // nothing: somebody was faster
//
// Thread rule: any thread; no call blocks. Wait for changes on `changed(resource)`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "minicluster/api.h"
#include "minicluster/store/limits.h"

namespace tenon::minicluster {

struct StoreKey {
  std::string ns, name;  // ns is empty for cluster-scoped objects
  friend auto operator<=>(const StoreKey&, const StoreKey&) = default;
};

struct StoreOptions {
  size_t max_log_entries = kMaxLogEntries;
};

class Store {
 public:
  explicit Store(runtime::Runtime& runtime, StoreOptions options = {});
  ~Store();

  uint64_t revision() const;
  // Null if there is none.
  Object get(const Resource& resource, const StoreKey& key) const;
  // In the order of their keys; ns empty: every namespace.
  ObjectList list(const Resource& resource, std::string_view ns) const;
  size_t count(const Resource& resource) const;

  // Replaces `expected` (null: there must be none) by `next`. Returns what was published, or null if the store holds
  // something else than `expected` under this key.
  Object commit(const Resource& resource, const StoreKey& key, const Object& expected, boost::json::value next);
  // Removes `expected`. Returns its last state, with the removal's resourceVersion, or null as above.
  Object erase(const Resource& resource, const StoreKey& key, const Object& expected);

  // What happened to a resource after a revision, at most `limit` changes (0: all). Errors: kGone if the log no longer
  // reaches back that far.
  struct Changes {
    uint64_t revision = 0;  // everything up to here has been looked at
    std::vector<WatchEvent> events;
  };
  Result<Changes> changes_since(const Resource& resource, uint64_t revision, size_t limit = 0) const;
  // Drops every log entry; watchers that are behind get kGone.
  void compact();

  // Called after every change, on the writer's thread and outside the store's lock; `before` or `after` may be null. To
  // be set before the first write.
  using Listener = std::function<void(const Resource&, const StoreKey&, const Object& before, const Object& after)>;
  void set_listener(Listener listener);

  // Notified after every change of this resource. Lives as long as the store.
  runtime::Event& changed(const Resource& resource);
  // So is this one, for as long as somebody else holds it.
  void subscribe(const Resource& resource, const std::shared_ptr<runtime::Event>& event);

  // Objects of any resource, by metadata.uid and by the uids in metadata.ownerReferences.
  struct Place {
    Resource resource;
    StoreKey key;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  std::optional<Place> find_uid(std::string_view uid) const;
  std::vector<Place> dependents_of(std::string_view owner_uid) const;
  // Every resource that holds an object of this namespace, and how many.
  std::vector<std::pair<Resource, size_t>> resources_in(std::string_view ns) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A Watch (api.h) on one resource of a store, which must outlive it.
std::unique_ptr<Watch> make_store_watch(Store& store, Resource resource);

}  // namespace tenon::minicluster
