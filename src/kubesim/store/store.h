// The minicluster's etcd: objects by resource, namespace and name, one revision counter for all of them, and per
// resource a ring log of changes from which watches read. Of the Kubernetes fields, the store uses three in metadata:
// it sets resourceVersion to the revision of each write, and it indexes uid and ownerReferences.
//
//   Object before = store.get(pods, {"default", "web"});
//   value next = *before; …change it…
//   auto stored = store.commit(pods, {"default", "web"}, before, std::move(next));   // null: another write came first
//
// Thread rule: any thread; no call blocks. To wait for changes, wait on `changed(resource)`.
// store_watch.cc defines the watches.
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

#include "kubesim/api.h"
#include "kubesim/store/limits.h"

namespace tenon::kubesim {

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
  // Returns null if no such object exists.
  Object get(const Resource& resource, const StoreKey& key) const;
  // Returns the objects in the order of their keys. ns: empty for all namespaces.
  ObjectList list(const Resource& resource, std::string_view ns) const;
  size_t count(const Resource& resource) const;

  // Replaces `expected` (null: no object may exist under this key) by `next`. Returns the published object, or null if
  // the store does not hold `expected` under this key.
  Object commit(const Resource& resource, const StoreKey& key, const Object& expected, boost::json::value next);
  // Removes `expected`. Returns its last state with the resourceVersion of the removal, or null as for commit().
  Object erase(const Resource& resource, const StoreKey& key, const Object& expected);

  // Returns the changes of a resource after a revision, at most `limit` (0: all). Errors: kGone if the log no longer
  // contains all of them.
  struct Changes {
    uint64_t revision = 0;  // `events` covers all changes up to this revision
    std::vector<WatchEvent> events;
  };
  Result<Changes> changes_since(const Resource& resource, uint64_t revision, size_t limit = 0) const;
  // Drops all log entries. Watchers that are behind get kGone.
  void compact();

  // Called after every change, on the writer's thread and outside the store's lock. `before` or `after` may be null.
  // The listener must be set before the first write.
  using Listener = std::function<void(const Resource&, const StoreKey&, const Object& before, const Object& after)>;
  void set_listener(Listener listener);

  // Returns the event that is notified after every change of this resource. It lives as long as the store.
  runtime::Event& changed(const Resource& resource);
  // Notifies `event` as well after every change. Holds a weak reference: the caller owns the event.
  void subscribe(const Resource& resource, const std::shared_ptr<runtime::Event>& event);

  // The place of an object of any resource. Objects are indexed by metadata.uid and by the uids of their
  // metadata.ownerReferences.
  struct Place {
    Resource resource;
    StoreKey key;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  std::optional<Place> find_uid(std::string_view uid) const;
  std::vector<Place> dependents_of(std::string_view owner_uid) const;
  // Returns the resources that have objects in this namespace, each with its number of objects.
  std::vector<std::pair<Resource, size_t>> resources_in(std::string_view ns) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Returns a Watch (api.h) on one resource of a store. The store must outlive the watch.
std::unique_ptr<Watch> make_store_watch(Store& store, Resource resource);

}  // namespace tenon::kubesim
