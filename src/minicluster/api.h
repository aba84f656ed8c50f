// The minicluster's API server as its own components (scheduler, kubelets, workload controllers) see it: the same code
// path as an HTTP request (admission, defaulting, validation, generation, finalizers, subresources), without the wire.
// Objects are JSON documents; there are no typed codecs here.
//
//   auto pods = api.watch({"", "pods"});
//   while (pods->wait(kNever, stop) == runtime::Wake::kNotified)
//     for (const WatchEvent& e : pods->take()) …
//
// Thread rule: every call may come from any thread. Calls do not block on the virtual clock; only Watch::wait does.
// Errors: as the server would answer them over HTTP: kNotFound, kAlreadyExists, kConflict, kInvalid, kForbidden,
// kThrottled (an eviction that a PodDisruptionBudget forbids).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "runtime/runtime.h"

namespace tenon::minicluster {

// "pods" is {"", "pods"}; "nodeclaims" is {"karpenter.sh", "nodeclaims"}.
struct Resource {
  std::string group;
  std::string plural;
  friend auto operator<=>(const Resource&, const Resource&) = default;
};

// Published, never changed.
using Object = std::shared_ptr<const boost::json::value>;

struct ObjectList {
  uint64_t resource_version = 0;
  std::vector<Object> items;  // by namespace, then name
};

struct WatchEvent {
  enum class Type { kAdded, kModified, kDeleted };
  Type type = Type::kAdded;
  uint64_t resource_version = 0;
  Object object;    // for kDeleted: the last state
  Object previous;  // null for kAdded
};

// A cursor on the changes of one resource. It starts with one kAdded for every object that exists.
class Watch {
 public:
  virtual ~Watch() = default;
  // Blocks until there is something to take, the deadline passes or stop is requested.
  virtual runtime::Wake wait(Instant deadline, const std::stop_token& stop) = 0;
  // What happened since the last call, oldest first. If the log was compacted past the cursor, it restarts with a new
  // list (kDeleted for what has gone, kAdded/kModified for the rest).
  virtual std::vector<WatchEvent> take() = 0;
};

struct DeleteOptions {
  std::optional<int64_t> grace_period_seconds;
  std::string propagation_policy;  // "", Background, Foreground, Orphan
  std::string uid;                 // precondition, if not empty
  std::string resource_version;    // precondition, if not empty
};

class Api {
 public:
  virtual ~Api() = default;
  virtual Result<Object> get(const Resource& resource, std::string_view ns, std::string_view name) = 0;
  // ns empty: all namespaces. label_selector as in a query string ("app=a,tier in (x,y)"), empty for all.
  virtual Result<ObjectList> list(const Resource& resource, std::string_view ns,
                                  std::string_view label_selector = {}) = 0;
  virtual Result<Object> create(const Resource& resource, std::string_view ns, boost::json::value object) = 0;
  // A resourceVersion in the object is a precondition. subresource: "" or "status".
  virtual Result<Object> update(const Resource& resource, std::string_view ns, boost::json::value object,
                                std::string_view subresource = {}) = 0;
  virtual Result<Object> merge_patch(const Resource& resource, std::string_view ns, std::string_view name,
                                     const boost::json::value& patch, std::string_view subresource = {}) = 0;
  virtual Status remove(const Resource& resource, std::string_view ns, std::string_view name,
                        const DeleteOptions& options = {}) = 0;
  // The binding subresource: sets spec.nodeName once, condition PodScheduled=True.
  virtual Status bind(std::string_view ns, std::string_view pod, std::string_view node) = 0;
  virtual std::unique_ptr<Watch> watch(const Resource& resource) = 0;
  // Notifies the event after every change of this resource, for as long as somebody else holds it.
  virtual void subscribe(const Resource& resource, const std::shared_ptr<runtime::Event>& event) = 0;
  // Records (or, for an equal one, counts up) a core/v1 Event about an object.
  virtual void record_event(const boost::json::value& about, std::string_view type, std::string_view reason,
                            std::string_view message, std::string_view component) = 0;
};

}  // namespace tenon::minicluster
