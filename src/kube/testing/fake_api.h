// A small API server for the tests of this room and of those above it: it stores documents, serves get, list (paged),
// watch, create, update and delete, and injects faults on request. It has no knowledge of kinds, and shares no code
// with the client or the minicluster.
//
//   FakeApi api(*sim);
//   auto transport = http::make_loopback_transport({{"api", &api}});
//   auto client = make_client(*sim, *transport, {.server = "http://api"});
//   api.put("/api/v1/pods", R"({"metadata":{"name":"a","namespace":"default"}})");
//
// Thread rule: every call from any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "http/handler.h"
#include "runtime/runtime.h"

namespace tenon::kube::testing {

class FakeApi : public http::Handler {
 public:
  explicit FakeApi(runtime::Runtime& runtime);
  ~FakeApi() override;

  // `collection` is the path over all namespaces: "/apis/karpenter.sh/v1/nodeclaims". Adds the object, or replaces the
  // one with that name.
  void put(const std::string& collection, const std::string& document);
  void put_object(const std::string& collection, boost::json::value object);
  // `key`: "namespace/name" or "name".
  void remove(const std::string& collection, const std::string& key);
  // Returns the object as text; empty if it does not exist.
  std::string get(const std::string& collection, const std::string& key) const;
  size_t count(const std::string& collection) const;

  // Answers the next n requests with this status.
  void fail_next(int n, int status, const std::string& body = {}, http::Headers headers = {});
  // Drops the answers of fail_next() that were not used.
  void clear_failures();
  // Lists of this collection omit these objects, until a call with an empty set. All other requests find them.
  void truncate_lists(const std::string& collection, std::set<std::string> keys);
  // Answers requests for this collection and its objects as for an unknown kind.
  void forget_kind(const std::string& collection, bool forgotten);
  // While `silent`, watches are accepted and then send nothing, not even their end.
  void silence_watches(bool silent);
  // Ends every open watch cleanly.
  void end_watches();
  // Drops the versions before now: watches from them get 410, as an ERROR event or (at once) as a status.
  void compact(bool as_event);
  // Sends a bookmark of the current version on every open watch.
  void bookmark();

  // "GET /api/v1/pods?limit=500", oldest first.
  std::vector<std::string> requests() const;
  size_t requests_with(const std::string& text) const;
  http::ServerRequest last_request() const;

  void serve(const http::ServerRequest& request, http::ResponseWriter& writer, const std::stop_token& stop) override;

 private:
  struct State;
  void serve_watch(const std::string& collection, uint64_t from, Instant end, http::ResponseWriter& writer,
                   const std::stop_token& stop);

  runtime::Runtime& runtime_;
  mutable std::mutex mutex_;
  std::unique_ptr<State> state_;
  std::unique_ptr<runtime::Event> changed_;
};

}  // namespace tenon::kube::testing
