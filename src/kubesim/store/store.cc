// SPDX-License-Identifier: Apache-2.0
#include "kubesim/store/store.h"

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <set>

#include "json/equal.h"
#include "json/json.h"

namespace tenon::kubesim {
namespace {

struct Table {
  std::map<StoreKey, Object> objects;
  std::deque<WatchEvent> log;
  uint64_t compacted = 0;  // changes up to this revision are no longer in the log
  std::unique_ptr<runtime::Event> changed;
  std::vector<std::weak_ptr<runtime::Event>> subscribers;
};

// The events to notify of a change, outside the store's lock.
struct Audience {
  runtime::Event* changed = nullptr;
  std::vector<std::shared_ptr<runtime::Event>> subscribers;

  void notify() const {
    changed->notify();
    for (const auto& subscriber : subscribers) subscriber->notify();
  }
};

Audience audience_of(Table& table) {
  Audience audience{table.changed.get(), {}};
  std::erase_if(table.subscribers, [&](const auto& subscriber) {
    auto event = subscriber.lock();
    if (!event) return true;
    audience.subscribers.push_back(std::move(event));
    return false;
  });
  return audience;
}

std::string_view uid_of(const boost::json::value& object) { return json::string_at(object, {"metadata", "uid"}); }

bool same_references(const boost::json::value& a, const boost::json::value& b) {
  return uid_of(a) == uid_of(b) && json::equal(json::array_at(a, {"metadata", "ownerReferences"}),
                                               json::array_at(b, {"metadata", "ownerReferences"}));
}

Object at_revision(boost::json::value v, uint64_t revision) {
  json::ensure(v, {"metadata", "resourceVersion"}) = std::to_string(revision);
  return std::make_shared<const boost::json::value>(std::move(v));
}

}  // namespace

struct Store::Impl {
  Impl(runtime::Runtime& r, StoreOptions o) : runtime(r), options(o) {}

  Table& table(const Resource& resource) {
    Table& found = tables[resource];
    if (!found.changed) found.changed = runtime.make_event();
    return found;
  }
  const Table* table_if(const Resource& resource) const {
    const auto found = tables.find(resource);
    return found == tables.end() ? nullptr : &found->second;
  }
  void index(const Place& place, const boost::json::value& object, bool present) {
    const std::string uid(uid_of(object));
    if (!uid.empty()) {
      if (present)
        places[uid] = place;
      else
        places.erase(uid);
    }
    for (const auto& owner : json::array_at(object, {"metadata", "ownerReferences"})) {
      const std::string owner_uid(json::string_at(owner, {"uid"}));
      if (present) {
        dependents[owner_uid].insert(place);
      } else if (const auto entry = dependents.find(owner_uid); entry != dependents.end()) {
        entry->second.erase(place);
        if (entry->second.empty()) dependents.erase(entry);
      }
    }
  }
  void append(Table& table, WatchEvent event) {
    table.log.push_back(std::move(event));
    if (table.log.size() <= options.max_log_entries) return;
    table.compacted = table.log.front().resource_version;
    table.log.pop_front();
  }

  runtime::Runtime& runtime;
  const StoreOptions options;
  mutable std::mutex mutex;
  uint64_t revision = 1;
  std::map<Resource, Table> tables;
  Listener listener;
  std::map<std::string, Place, std::less<>> places;
  std::map<std::string, std::set<Place>, std::less<>> dependents;
};

Store::Store(runtime::Runtime& runtime, StoreOptions options) : impl_(std::make_unique<Impl>(runtime, options)) {}
Store::~Store() = default;

uint64_t Store::revision() const {
  std::lock_guard lock(impl_->mutex);
  return impl_->revision;
}

Object Store::get(const Resource& resource, const StoreKey& key) const {
  std::lock_guard lock(impl_->mutex);
  const Table* table = impl_->table_if(resource);
  if (table == nullptr) return nullptr;
  const auto found = table->objects.find(key);
  return found == table->objects.end() ? nullptr : found->second;
}

ObjectList Store::list(const Resource& resource, std::string_view ns) const {
  std::lock_guard lock(impl_->mutex);
  ObjectList result;
  result.resource_version = impl_->revision;
  const Table* table = impl_->table_if(resource);
  if (table == nullptr) return result;
  if (ns.empty()) {
    result.items.reserve(table->objects.size());
    for (const auto& [key, object] : table->objects) result.items.push_back(object);
    return result;
  }
  for (auto it = table->objects.lower_bound({std::string(ns), ""}); it != table->objects.end() && it->first.ns == ns;
       ++it) {
    result.items.push_back(it->second);
  }
  return result;
}

size_t Store::count(const Resource& resource) const {
  std::lock_guard lock(impl_->mutex);
  const Table* table = impl_->table_if(resource);
  return table == nullptr ? 0 : table->objects.size();
}

Object Store::commit(const Resource& resource, const StoreKey& key, const Object& expected, boost::json::value next) {
  Audience audience;
  Object published;
  {
    std::lock_guard lock(impl_->mutex);
    Table& table = impl_->table(resource);
    const auto found = table.objects.find(key);
    if ((found == table.objects.end() ? nullptr : found->second) != expected) return nullptr;
    const uint64_t revision = ++impl_->revision;
    published = at_revision(std::move(next), revision);
    const Place place{resource, key};
    if (!expected || !same_references(*expected, *published)) {
      if (expected) impl_->index(place, *expected, false);
      impl_->index(place, *published, true);
    }
    if (found == table.objects.end())
      table.objects.emplace(key, published);
    else
      found->second = published;
    const auto type = expected ? WatchEvent::Type::kModified : WatchEvent::Type::kAdded;
    impl_->append(table, {type, revision, published, expected});
    audience = audience_of(table);
  }
  audience.notify();
  if (impl_->listener) impl_->listener(resource, key, expected, published);
  return published;
}

Object Store::erase(const Resource& resource, const StoreKey& key, const Object& expected) {
  Audience audience;
  Object last;
  {
    std::lock_guard lock(impl_->mutex);
    Table& table = impl_->table(resource);
    const auto found = table.objects.find(key);
    if (found == table.objects.end() || found->second != expected) return nullptr;
    const uint64_t revision = ++impl_->revision;
    last = at_revision(*expected, revision);
    impl_->index({resource, key}, *expected, false);
    table.objects.erase(found);
    impl_->append(table, {WatchEvent::Type::kDeleted, revision, last, expected});
    audience = audience_of(table);
  }
  audience.notify();
  if (impl_->listener) impl_->listener(resource, key, expected, nullptr);
  return last;
}

Result<Store::Changes> Store::changes_since(const Resource& resource, uint64_t revision, size_t limit) const {
  std::lock_guard lock(impl_->mutex);
  Changes result;
  result.revision = impl_->revision;
  const Table* table = impl_->table_if(resource);
  if (table == nullptr) return result;
  if (revision < table->compacted) {
    return fail(Code::kGone, "too old resource version: " + std::to_string(revision) + " (" +
                                 std::to_string(table->compacted + 1) + ")");
  }
  auto it = std::upper_bound(table->log.begin(), table->log.end(), revision,
                             [](uint64_t r, const WatchEvent& e) { return r < e.resource_version; });
  for (; it != table->log.end(); ++it) {
    if (limit != 0 && result.events.size() == limit) {
      result.revision = result.events.back().resource_version;
      return result;
    }
    result.events.push_back(*it);
  }
  return result;
}

void Store::compact() {
  std::lock_guard lock(impl_->mutex);
  for (auto& [resource, table] : impl_->tables) {
    if (!table.log.empty()) table.compacted = table.log.back().resource_version;
    table.log.clear();
  }
}

void Store::set_listener(Listener listener) { impl_->listener = std::move(listener); }

runtime::Event& Store::changed(const Resource& resource) {
  std::lock_guard lock(impl_->mutex);
  return *impl_->table(resource).changed;
}

void Store::subscribe(const Resource& resource, const std::shared_ptr<runtime::Event>& event) {
  std::lock_guard lock(impl_->mutex);
  impl_->table(resource).subscribers.push_back(event);
}

std::optional<Store::Place> Store::find_uid(std::string_view uid) const {
  std::lock_guard lock(impl_->mutex);
  const auto found = impl_->places.find(uid);
  if (found == impl_->places.end()) return std::nullopt;
  return found->second;
}

std::vector<Store::Place> Store::dependents_of(std::string_view owner_uid) const {
  std::lock_guard lock(impl_->mutex);
  const auto found = impl_->dependents.find(owner_uid);
  if (found == impl_->dependents.end()) return {};
  return {found->second.begin(), found->second.end()};
}

std::vector<std::pair<Resource, size_t>> Store::resources_in(std::string_view ns) const {
  std::lock_guard lock(impl_->mutex);
  std::vector<std::pair<Resource, size_t>> result;
  for (const auto& [resource, table] : impl_->tables) {
    size_t count = 0;
    for (auto it = table.objects.lower_bound({std::string(ns), ""}); it != table.objects.end() && it->first.ns == ns;
         ++it) {
      ++count;
    }
    if (count != 0) result.emplace_back(resource, count);
  }
  return result;
}

}  // namespace tenon::kubesim
