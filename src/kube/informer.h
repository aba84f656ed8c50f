// Informer<T>: a cache of all objects of one type, updated by list and watch. It survives disconnects (back-off with
// jitter), 410 (it lists again) and late events, and it fails closed:
//   - An object leaves the cache with its DELETED event, or when two lists at least kConfirmAfter apart lack it.
//     Between the two lists the cache is doubtful().
//   - A kind that was listed once and then becomes unknown to the server (404) keeps its objects and is doubtful(). A
//     kind that the server never served has no objects; the list is retried with the usual back-off.
//   - An object that cannot be decoded completely is kept as far as it can be read, with the condition
//     model::kUnreadable (see kube/salvage.h). unreadable() lists it.
//
//   Informer<model::NodeClaim> claims(runtime, client, kNodeClaims, codec::decode_node_claim);
//   claims.on_change([&](const auto& change) { queue.add(change.key); });
//   claims.start();
//   auto claim = claims.get("default-x7x2k");            // shared_ptr<const NodeClaim>, null if there is none
//
// Thread rule: every const member from any thread; handlers run on the informer's own thread, one at a time, and must
// not block. Instantiated in informer_types.cc for the model's kinds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <boost/json/fwd.hpp>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kube/client.h"
#include "runtime/runtime.h"

namespace tenon::kube {

// The reason why a cache may currently differ from the server's state.
struct Trouble {
  std::string what;  // verb, resource and cause; empty: no trouble
  Instant since{};
  explicit operator bool() const { return !what.empty(); }
};

// The untyped engine: one thread that lists and watches. Defined in informer.cc.
class Reflector {
 public:
  struct Sink {
    virtual ~Sink() = default;
    // A list begins, perhaps again, arrives object by object, and ends with list_done(). False: cached objects are
    // missing from the list, and a second list must confirm that. Single changes follow.
    virtual void list_begins() = 0;
    virtual void list_item(const boost::json::value& object) = 0;
    virtual bool list_done() = 0;
    virtual void upsert(const boost::json::value& object) = 0;
    virtual void erase(const boost::json::value& object) = 0;
    virtual void no_such_kind() = 0;  // the server has never served the kind; called at each attempt
  };
  virtual ~Reflector() = default;
  virtual void start() = 0;  // once
  virtual void stop() = 0;   // also joins
  virtual bool synced() const = 0;
  virtual bool absent() const = 0;
  virtual bool doubtful() const = 0;
  virtual Trouble trouble() const = 0;
};
std::unique_ptr<Reflector> make_reflector(runtime::Runtime& runtime, Client& client, ResourceType type,
                                          ListOptions options, Reflector::Sink& sink);

// "namespace/name", or "name" for cluster-scoped objects.
std::string object_key(const boost::json::value& object);

// A cached object that could not be decoded completely.
struct Unreadable {
  const ResourceType* type = nullptr;  // of its informer
  std::string ns, name, uid;
  std::string problem;  // the path of the first invalid field, and the error
};

// The part of an Informer that does not depend on its type.
class AnyInformer : protected Reflector::Sink {
 public:
  AnyInformer(runtime::Runtime& runtime, Client& client, ResourceType type, ListOptions options)
      : runtime_(runtime),
        type_(std::move(type)),
        reflector_(make_reflector(runtime, client, type_, std::move(options), *this)) {}

  // The handler is called once, from the informer's thread. Set it before start().
  void on_absent(std::function<void()> handler) { on_absent_ = std::move(handler); }
  // The handler is called when an object becomes unreadable, or the reason changes. Set it before start().
  void on_unreadable(std::function<void(const Unreadable&)> handler) { on_unreadable_ = std::move(handler); }
  void start() {  // once
    started_ = true;
    reflector_->start();
  }
  void stop() {
    started_ = false;
    reflector_->stop();
  }

  const ResourceType& type() const { return type_; }
  bool synced() const { return started_ && reflector_->synced(); }
  // Whether the server did not know the kind at the last list.
  bool absent() const { return reflector_->absent(); }
  // Whether the cache may hold deleted objects. Callers must not conclude from it that an object does not exist.
  bool doubtful() const { return reflector_->doubtful(); }
  Trouble trouble() const { return reflector_->trouble(); }
  virtual size_t size() const = 0;
  std::vector<Unreadable> unreadable() const;  // by key

 protected:
  // Stores the fault of an object; empty: none.
  void note_fault(const std::string& key, const boost::json::value& object, const std::string& fault);
  void forget_fault(const std::string& key);
  void no_such_kind() override;

  runtime::Runtime& runtime_;
  const ResourceType type_;
  std::function<void()> on_absent_;  // empty after its call
  std::function<void(const Unreadable&)> on_unreadable_;
  mutable std::mutex mutex_;
  std::map<std::string, Unreadable> unreadable_;  // by key

 private:
  std::atomic<bool> started_ = false;
  const std::unique_ptr<Reflector> reflector_;
};

template <class T>
class Informer final : public AnyInformer {
 public:
  using Ptr = std::shared_ptr<const T>;
  struct Change {
    std::string key;
    Ptr before, after;  // before null: added; after null: deleted
  };
  // Called on the informer's thread only. Writes a fault to `fault` and decodes the object as far as possible.
  using Decode = std::function<Result<T>(const boost::json::value&, std::string* fault)>;

  Informer(runtime::Runtime& runtime, Client& client, ResourceType type, Decode decode, ListOptions options = {})
      : AnyInformer(runtime, client, std::move(type), std::move(options)), decode_(std::move(decode)) {}
  ~Informer() override { stop(); }  // its thread uses the members below

  // Set it before start().
  void on_change(std::function<void(const Change&)> handler) { handlers_.push_back(std::move(handler)); }
  // Objects that `keep` rejects are not cached, and no handler is called for them; an object that changes so that it is
  // rejected is deleted from the cache. Pure; called on the informer's thread only, also with objects that are marked
  // unreadable. Set it before start().
  void keep_only(std::function<bool(const T&)> keep) { keep_ = std::move(keep); }

  Ptr get(const std::string& key) const {
    const std::lock_guard lock(mutex_);
    const auto it = objects_.find(key);
    return it == objects_.end() ? nullptr : it->second.object;
  }
  std::vector<Ptr> list() const {  // by key
    const std::lock_guard lock(mutex_);
    std::vector<Ptr> all;
    all.reserve(objects_.size());
    for (const auto& [key, entry] : objects_) all.push_back(entry.object);
    return all;
  }
  size_t size() const override {
    const std::lock_guard lock(mutex_);
    return objects_.size();
  }

 private:
  void list_begins() override { ++lists_; }
  void list_item(const boost::json::value& object) override;
  bool list_done() override;
  void upsert(const boost::json::value& object) override;
  void erase(const boost::json::value& object) override;
  // std::nullopt: the object cannot be decoded at all, and an older copy stays. Null: the object is not kept.
  std::optional<Ptr> read(const std::string& key, const boost::json::value& object);
  void put(const std::string& key, Ptr after);

  struct Entry {
    Ptr object;
    uint64_t listed = 0;  // the last list that had the object
  };
  const Decode decode_;
  std::function<bool(const T&)> keep_;  // empty: every object is kept
  std::vector<std::function<void(const Change&)>> handlers_;
  std::map<std::string, Entry> objects_;
  // Used by the informer's own thread only:
  uint64_t lists_ = 0;                       // that have begun
  std::map<std::string, Instant> suspects_;  // keys missing from the last list, and since when
};

}  // namespace tenon::kube
