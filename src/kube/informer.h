// Informer<T>: a cache of all objects of one type, kept fresh by list and watch. Survives disconnects (back-off with
// jitter), 410 (lists again) and late events. Of a kind that the server does not know (its CRD is not installed) there
// are no objects; it is asked again every half minute.
//
//   Informer<model::NodeClaim> claims(runtime, client, kNodeClaims, codec::decode_node_claim);
//   claims.on_change([&](const auto& change) { queue.add(change.key); });
//   claims.start();
//   auto claim = claims.get("default-x7x2k");            // shared_ptr<const NodeClaim>, null if there is none
//
// Thread rule: get/list/synced from any thread; handlers run on the informer's own thread, one at a time, and must not
// block. Objects that cannot be decoded are left out and counted; last_problem() names the last of them, or why the
// list or watch does not come through. Instantiated in informer_types.cc for the model's kinds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "kube/client.h"
#include "runtime/runtime.h"

namespace tenon::kube {

// The engine, without types: one thread that lists and watches. Defined in informer.cc.
class Reflector {
 public:
  struct Sink {
    virtual ~Sink() = default;
    // A list comes in pages; after list_done() what no page named is gone. Then single changes.
    virtual void list_page(std::vector<boost::json::value> items, bool first) = 0;
    virtual void list_done() = 0;
    virtual void upsert(const boost::json::value& object) = 0;
    virtual void erase(const boost::json::value& object) = 0;
    virtual void no_such_kind() = 0;  // the server does not know it: at each try
  };
  virtual ~Reflector() = default;  // stops and joins
  virtual bool synced() const = 0;
  virtual bool absent() const = 0;
  virtual std::string last_problem() const = 0;  // of the connection; empty if there was none yet
};
std::unique_ptr<Reflector> start_reflector(runtime::Runtime& runtime, Client& client, ResourceType type,
                                           ListOptions options, Reflector::Sink& sink);

// "namespace/name", or "name" for cluster-scoped objects.
std::string object_key(const boost::json::value& object);

template <class T>
class Informer final : private Reflector::Sink {
 public:
  using Ptr = std::shared_ptr<const T>;
  struct Change {
    std::string key;
    Ptr before, after;  // before null: added; after null: deleted
  };
  using Decode = std::function<Result<T>(const boost::json::value&)>;  // called on the informer's thread only

  Informer(runtime::Runtime& runtime, Client& client, ResourceType type, Decode decode, ListOptions options = {})
      : runtime_(runtime),
        client_(client),
        type_(std::move(type)),
        options_(std::move(options)),
        decode_(std::move(decode)) {}

  // Before start().
  void on_change(std::function<void(const Change&)> handler) { handlers_.push_back(std::move(handler)); }
  // Objects that `keep` refuses are not in the cache, and no handler is called for them: an object that changes so that
  // it is refused is deleted from the cache. Pure; called on the informer's thread only. Before start().
  void keep_only(std::function<bool(const T&)> keep) { keep_ = std::move(keep); }
  // Told once, from the informer's thread. Before start().
  void on_absent(std::function<void()> handler) { on_absent_ = std::move(handler); }
  void start() { reflector_ = start_reflector(runtime_, client_, type_, options_, *this); }
  void stop() { reflector_.reset(); }
  bool synced() const { return reflector_ && reflector_->synced(); }
  // The server said of the last list that it does not know the kind.
  bool absent() const { return reflector_ && reflector_->absent(); }

  Ptr get(const std::string& key) const {
    const std::lock_guard lock(mutex_);
    const auto it = objects_.find(key);
    return it == objects_.end() ? nullptr : it->second;
  }
  std::vector<Ptr> list() const {  // by key
    const std::lock_guard lock(mutex_);
    std::vector<Ptr> all;
    all.reserve(objects_.size());
    for (const auto& [key, object] : objects_) all.push_back(object);
    return all;
  }
  size_t dropped() const {
    const std::lock_guard lock(mutex_);
    return dropped_;
  }
  std::string last_problem() const;

 private:
  void list_page(std::vector<boost::json::value> items, bool first) override;
  void list_done() override;
  void upsert(const boost::json::value& object) override;
  void erase(const boost::json::value& object) override;
  void no_such_kind() override;
  // Null if it cannot be decoded or is not kept.
  Ptr read(const std::string& key, const boost::json::value& object);
  void put(const std::string& key, Ptr after);

  runtime::Runtime& runtime_;
  Client& client_;
  const ResourceType type_;
  const ListOptions options_;
  const Decode decode_;
  std::function<bool(const T&)> keep_;  // empty: every object is kept
  std::vector<std::function<void(const Change&)>> handlers_;
  std::function<void()> on_absent_;  // empty once it was told
  mutable std::mutex mutex_;
  std::map<std::string, Ptr> objects_;
  size_t dropped_ = 0;
  std::string decode_problem_;
  std::set<std::string> listed_;          // keys, while a list comes in; the informer's own thread's
  std::unique_ptr<Reflector> reflector_;  // last: its thread uses the rest
};

}  // namespace tenon::kube
