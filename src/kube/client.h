// A client of the Kubernetes API: JSON documents over http::Transport. kube/codec adds typed access.
//
//   auto pods = TRY(client.list(kPods, {.ns = "default", .label_selector = "app=inflate"}, stop));
//   TRY(client.patch(kNodeClaims, {"", "default-x7x2k"}, PatchType::kMerge, patch, {.subresource = "status"}, stop));
//
// Thread rule: every call may come from any thread and blocks until the response, the deadline or `stop`.
// Errors, from the server's Status object: kNotFound, kAlreadyExists, kConflict, kGone, kInvalid, kForbidden,
// kThrottled (with retry_after), kUnavailable, kTimeout, kCancelled. Messages name verb, resource and object.
//
// A request that the server did not process and answers with Retry-After (429 and 503; 401 after new credentials, see
// kube/access/access.h) is sent again after that time and a jitter, until the request timeout would pass or
// kMaxAttempts is reached. Exceptions: watches, whose callers retry, and evictions that a PodDisruptionBudget forbids.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/transport.h"
#include "kube/limits.h"
#include "runtime/runtime.h"

namespace tenon::runtime {
class RateLimiter;
}

namespace tenon::kube {

// A collection: {"karpenter.sh", "v1", "nodeclaims", "NodeClaim", false}.
struct ResourceType {
  std::string group, version, plural, kind;
  bool namespaced = false;
  std::string api_version() const { return group.empty() ? version : group + "/" + version; }
  friend bool operator==(const ResourceType&, const ResourceType&) = default;
};

struct ObjectName {
  std::string ns, name;
};

enum class PatchType { kMerge, kJson, kStrategic, kApply };

struct ListOptions {
  std::string ns = {};  // empty: all namespaces
  std::string label_selector = {}, field_selector = {};
  int64_t watch_seconds = 0;  // limit of a watch; 0: kWatchSeconds plus jitter
};
// The part of the object that a patch returns. kMetadata: its metadata only; kNothing: null, which saves the parsing.
enum class PatchAnswer { kObject, kMetadata, kNothing };
struct PatchOptions {
  std::string subresource = {};    // "", "status", "scale"
  std::string field_manager = {};  // for kApply
  bool force = false;              // for kApply
  PatchAnswer answer = PatchAnswer::kObject;
};
struct DeleteOptions {
  std::string uid = {}, resource_version = {};  // preconditions; empty: none
  std::optional<int64_t> grace_period_seconds = std::nullopt;
};

struct ListPage {
  std::string resource_version;
  std::vector<boost::json::value> items;
};

// The type of a watch's first event, with a null object: the server accepted the watch.
inline constexpr std::string_view kWatchOpened = "OPENED";

class Client {
 public:
  virtual ~Client() = default;
  // kNotFound: the server serves the kind but has no such object. Errors for an unknown kind: kUnavailable.
  virtual Result<boost::json::value> get(const ResourceType& type, const ObjectName& name,
                                         const std::stop_token& stop) = 0;
  // Returns all pages.
  virtual Result<ListPage> list(const ResourceType& type, const ListOptions& options, const std::stop_token& stop) = 0;
  // Hands over the objects one by one, so that a large list is never in memory as a whole. They lack the members that
  // no codec reads (codec/left_out.h), and are valid during the call only. Null: a list begins, which invalidates what
  // was handed over before. Returns the list's resource version.
  using OnItem = std::function<void(const boost::json::value* item)>;
  virtual Result<std::string> list_items(const ResourceType& type, const ListOptions& options, const OnItem& on_item,
                                         const std::stop_token& stop);
  virtual Result<boost::json::value> create(const ResourceType& type, std::string_view ns,
                                            const boost::json::value& object, const std::stop_token& stop) = 0;
  virtual Result<boost::json::value> update(const ResourceType& type, const ObjectName& name,
                                            const boost::json::value& object, std::string_view subresource,
                                            const std::stop_token& stop) = 0;
  virtual Result<boost::json::value> patch(const ResourceType& type, const ObjectName& name, PatchType patch_type,
                                           const boost::json::value& patch, const PatchOptions& options,
                                           const std::stop_token& stop) = 0;
  virtual Status remove(const ResourceType& type, const ObjectName& name, const DeleteOptions& options,
                        const std::stop_token& stop) = 0;
  // Posts to the eviction subresource, with the uid as precondition. kThrottled: a PodDisruptionBudget currently
  // forbids the eviction; kInternal: more than one budget covers the pod.
  virtual Status evict(const ObjectName& pod, std::string_view uid, const std::stop_token& stop) = 0;
  // Streams watch events (type, object) from a resource version until the server closes, `on_event` returns false, or
  // an error occurs. Objects: as those of list_items(). The first event is kWatchOpened. kGone: list again; kTimeout:
  // no byte arrived for kWatchSilence.
  virtual Status watch(const ResourceType& type, const ListOptions& options, std::string_view resource_version,
                       const std::function<bool(std::string_view type, const boost::json::value& object)>& on_event,
                       const std::stop_token& stop) = 0;
  virtual Result<std::string> server_version(const std::stop_token& stop) = 0;
};

struct ClientOptions {
  std::string server;             // https://127.0.0.1:6443
  std::string bearer_token = {};  // empty: none, or the transport adds one (kube/access/access.h)
  std::string user_agent = "tenon/" TENON_VERSION;
  Duration request_timeout = kRequestTimeout;  // of every request except watches, with its repetitions
  // Every request except watches takes a token before it is sent; null: no limit. Clients may share one.
  // parity: client-go rest.Config.RateLimiter
  std::shared_ptr<runtime::RateLimiter> limiter = nullptr;
};

// Returns the limiter of --kube-client-qps and --kube-client-burst; null for a qps of 0: no limit.
std::shared_ptr<runtime::RateLimiter> make_request_limiter(runtime::Runtime& runtime, int qps, int burst);

// Borrows transport and runtime.
std::unique_ptr<Client> make_client(runtime::Runtime& runtime, http::Transport& transport, ClientOptions options);

}  // namespace tenon::kube
