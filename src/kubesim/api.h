// The in-process API of the minicluster's API server, for the simulated components (scheduler, kubelets, workload
// controllers). A call takes the same code path as an HTTP request (admission, defaulting, validation, generation,
// finalizers, subresources), without the wire format. Objects are JSON documents; this API has no typed codecs.
//
//   auto pods = api.watch({"", "pods"});
//   while (pods->wait(kNever, stop) == runtime::Wake::kNotified)
//     for (const WatchEvent& e : pods->take()) …
//
// Thread rule: every call may come from any thread. Calls do not block on the virtual clock; only Watch::wait does.
// Errors: the counterparts of the HTTP errors: kNotFound, kAlreadyExists, kConflict, kInvalid, kForbidden; kInternal
// for a create with a resourceVersion.
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

namespace tenon::kubesim {

// "pods" is {"", "pods"}; "nodeclaims" is {"karpenter.sh", "nodeclaims"}.
struct Resource {
  std::string group;
  std::string plural;
  friend auto operator<=>(const Resource&, const Resource&) = default;
};

// A published object. It is immutable.
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

// A cursor over the changes of one resource. It starts with one kAdded for each existing object.
class Watch {
 public:
  virtual ~Watch() = default;
  // Blocks until take() has events to return, the deadline passes or stop is requested.
  virtual runtime::Wake wait(Instant deadline, const std::stop_token& stop) = 0;
  // Returns the changes since the last call, oldest first. If the log was compacted past the cursor, the watch lists
  // again and returns the differences (kDeleted for removed objects, kAdded and kModified for the others).
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
  // ns: empty for all namespaces. label_selector: as in a query string ("app=a,tier in (x,y)"), empty for all objects.
  virtual Result<ObjectList> list(const Resource& resource, std::string_view ns,
                                  std::string_view label_selector = {}) = 0;
  virtual Result<Object> create(const Resource& resource, std::string_view ns, boost::json::value object) = 0;
  // Replaces an object. A resourceVersion in the object is a precondition. subresource: "" or "status".
  virtual Result<Object> update(const Resource& resource, std::string_view ns, boost::json::value object,
                                std::string_view subresource = {}) = 0;
  virtual Result<Object> merge_patch(const Resource& resource, std::string_view ns, std::string_view name,
                                     const boost::json::value& patch, std::string_view subresource = {}) = 0;
  virtual Status remove(const Resource& resource, std::string_view ns, std::string_view name,
                        const DeleteOptions& options = {}) = 0;
  // Calls the binding subresource: sets spec.nodeName, once, and the condition PodScheduled=True.
  virtual Status bind(std::string_view ns, std::string_view pod, std::string_view node) = 0;
  virtual std::unique_ptr<Watch> watch(const Resource& resource) = 0;
  // Notifies the event after every change of this resource. Holds a weak reference: the caller owns the event.
  virtual void subscribe(const Resource& resource, const std::shared_ptr<runtime::Event>& event) = 0;
  // Records a core/v1 Event about an object. For an equal Event, increments its count instead.
  virtual void record_event(const boost::json::value& about, std::string_view type, std::string_view reason,
                            std::string_view message, std::string_view component) = 0;
};

}  // namespace tenon::kubesim
