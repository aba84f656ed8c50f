// SPDX-License-Identifier: Apache-2.0
#include "kube/client.h"

#include <utility>

#include "base/text.h"
#include "json/json.h"
#include "kube/codec/left_out.h"
#include "kube/limits.h"
#include "kube/list_reader.h"
#include "kube/status_error.h"
#include "runtime/rate_limiter.h"

namespace tenon::kube {
namespace {

using json::value;
using Query = std::vector<std::pair<std::string, std::string>>;

constexpr std::string_view kObjects = "application/json";
constexpr std::string_view kMetadataAlone =
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";  // older servers use the second

struct Call {
  std::string method = "GET";
  std::string path = {};
  Query query = {};
  std::string body = {};
  std::string content_type = "application/json";
  std::string_view accept = kObjects;
  std::string what = {};  // description for messages
};

std::string_view content_type_of(PatchType type) {
  switch (type) {
    case PatchType::kMerge: return "application/merge-patch+json";
    case PatchType::kJson: return "application/json-patch+json";
    case PatchType::kStrategic: return "application/strategic-merge-patch+json";
    case PatchType::kApply: return "application/apply-patch+yaml";
  }
  return "application/json";
}

std::string path_of(const ResourceType& type, std::string_view ns) {
  std::string path = type.group.empty() ? "/api/" + type.version : "/apis/" + type.group + "/" + type.version;
  if (!ns.empty()) path += "/namespaces/" + percent_encode(ns);
  return path + "/" + type.plural;
}

std::string path_of(const ResourceType& type, const ObjectName& name, std::string_view subresource) {
  std::string path = path_of(type, name.ns) + "/" + percent_encode(name.name);
  if (!subresource.empty()) path += "/" + std::string(subresource);
  return path;
}

std::string words(std::string_view verb, const ResourceType& type, const ObjectName& name, std::string_view sub = {}) {
  std::string out = std::string(verb) + " " + type.plural;
  if (!sub.empty()) out += "/" + std::string(sub);
  if (!name.name.empty()) out += " \"" + (name.ns.empty() ? "" : name.ns + "/") + name.name + "\"";
  return out;
}

Query selectors(const ListOptions& options) {
  Query query;
  if (!options.label_selector.empty()) query.emplace_back("labelSelector", options.label_selector);
  if (!options.field_selector.empty()) query.emplace_back("fieldSelector", options.field_selector);
  return query;
}

// Whether a Status is about this object, not about a path that the server does not serve.
bool names_object(const http::Response& response, const std::string& name) {
  const Result<value> status = json::parse(response.body);
  return status && json::string_at(*status, {"details", "name"}) == name;
}

// Parses an event of a watch, without the members of its object that no codec reads.
class EventParser final : public json::Receiver {
 public:
  explicit EventParser(const std::string& kind) : left_out_{{"object", codec::left_out(kind)}} {}

  Result<json::SharedValue> parse(std::string_view text) {
    if (reader_.read(text)) return std::move(event_);
    return std::make_shared<const value>(TRY(json::parse(text)));  // the words of the error, or an unusual form
  }

  bool takes_items(const json::Head&) override { return false; }
  const std::vector<json::LeftOut>& left_out(const json::Head&) override { return left_out_; }
  bool item(json::SharedValue, const json::Head&) override { return false; }
  bool document(json::SharedValue document, bool) override {
    event_ = std::move(document);
    return true;
  }

 private:
  const std::vector<json::LeftOut> left_out_;
  json::JsonReader reader_{*this};
  json::SharedValue event_;
};

// Splits a watch response into lines and passes each event on.
class WatchSink : public http::StreamSink {
 public:
  using OnEvent = std::function<bool(std::string_view type, const value& object)>;
  WatchSink(const OnEvent& on_event, const ResourceType& type, std::string what)
      : on_event_(on_event), what_(std::move(what)), parser_(type.kind) {}

  bool on_head(int status, const http::Headers& headers) override {
    response_.status = status;
    response_.headers = headers;
    return status != 200 || on_event_(kWatchOpened, value());
  }

  bool on_data(std::string_view bytes) override {
    if (response_.status != 200) {
      response_.body += bytes.substr(0, kMaxErrorBodyBytes - response_.body.size());
      return response_.body.size() < kMaxErrorBodyBytes;
    }
    size_t end = 0;
    while ((end = bytes.find('\n')) != std::string_view::npos) {
      line_ += bytes.substr(0, end);
      bytes.remove_prefix(end + 1);
      if (!take_line()) return false;
      line_.clear();
    }
    line_ += bytes;
    if (line_.size() > kMaxWatchLineBytes)
      return stop_with(Error{Code::kUnavailable, what_ + ": an event is too long"});
    return true;
  }

  Status result() {
    if (error_) return fail(*error_);
    if (response_.status != 200) return fail(error_of(response_, what_));
    return ok();
  }

 private:
  bool stop_with(Error error) {
    error_ = std::move(error);
    return false;
  }

  bool take_line() {
    if (trim(line_).empty()) return true;
    const Result<json::SharedValue> event = parser_.parse(line_);
    if (!event) return stop_with(Error{Code::kUnavailable, what_ + ": malformed event: " + event.error().message});
    const value* object = json::find(**event, {"object"});
    const std::string type(json::string_at(**event, {"type"}));
    if (!object || type.empty()) return stop_with(Error{Code::kUnavailable, what_ + ": malformed event"});
    if (type == "ERROR") {
      http::Response status{.status = static_cast<int>(json::int_at(*object, {"code"}, 500)),
                            .body = json::to_string(*object)};
      return stop_with(error_of(status, what_));
    }
    return on_event_(type, *object);
  }

  const OnEvent& on_event_;
  const std::string what_;
  EventParser parser_;
  http::Response response_;
  std::string line_;
  std::optional<Error> error_;
};

class HttpClient : public Client {
 public:
  HttpClient(runtime::Runtime& runtime, http::Transport& transport, ClientOptions options)
      : runtime_(runtime), transport_(transport), options_(std::move(options)) {}

  Result<value> get(const ResourceType& type, const ObjectName& name, const std::stop_token& stop) override {
    const Call call{.path = path_of(type, name, ""), .what = words("get", type, name)};
    const http::Response response = TRY(send(call, stop));
    // The path is unknown, not the object: the object may exist.
    if (response.status == 404 && !names_object(response, name.name))
      return fail(Code::kUnavailable, error_of(response, call.what).message);
    return parsed(response, call);
  }

  Result<ListPage> list(const ResourceType& type, const ListOptions& options, const std::stop_token& stop) override {
    ListPage all;
    const auto collect = [&all](std::vector<value> items) {
      for (value& item : items) all.items.push_back(std::move(item));
    };
    all.resource_version = TRY(list_pages(
        type, options, [&] { all.items.clear(); },
        [&](std::string_view text) { return read_list(text, kListBatchObjects, collect); }, stop));
    return all;
  }

  Result<std::string> list_items(const ResourceType& type, const ListOptions& options, const OnItem& on_item,
                                 const std::stop_token& stop) override {
    const auto one = [&](const value& item) { on_item(&item); };
    return list_pages(
        type, options, [&] { on_item(nullptr); },
        [&](std::string_view text) { return stream_list(text, codec::left_out(type.kind), one); }, stop);
  }

  Result<value> create(const ResourceType& type, std::string_view ns, const value& object,
                       const std::stop_token& stop) override {
    const std::string name(json::string_at(object, {"metadata", "name"}));
    return call({.method = "POST",
                 .path = path_of(type, ns),
                 .body = json::to_string(object),
                 .what = words("create", type, {std::string(ns), name})},
                stop);
  }

  Result<value> update(const ResourceType& type, const ObjectName& name, const value& object,
                       std::string_view subresource, const std::stop_token& stop) override {
    return call({.method = "PUT",
                 .path = path_of(type, name, subresource),
                 .body = json::to_string(object),
                 .what = words("update", type, name, subresource)},
                stop);
  }

  Result<value> patch(const ResourceType& type, const ObjectName& name, PatchType patch_type, const value& patch,
                      const PatchOptions& options, const std::stop_token& stop) override {
    Query query;
    if (!options.field_manager.empty()) query.emplace_back("fieldManager", options.field_manager);
    if (options.force) query.emplace_back("force", "true");
    const Call patching{.method = "PATCH",
                        .path = path_of(type, name, options.subresource),
                        .query = std::move(query),
                        .body = json::to_string(patch),
                        .content_type = std::string(content_type_of(patch_type)),
                        .accept = options.answer == PatchAnswer::kObject ? kObjects : kMetadataAlone,
                        .what = words("patch", type, name, options.subresource)};
    if (options.answer != PatchAnswer::kNothing) return call(patching, stop);
    TRY(accepted(patching, stop));
    return value();
  }

  Status remove(const ResourceType& type, const ObjectName& name, const DeleteOptions& options,
                const std::stop_token& stop) override {
    json::object body{{"apiVersion", "v1"}, {"kind", "DeleteOptions"}};
    if (options.grace_period_seconds) body["gracePeriodSeconds"] = *options.grace_period_seconds;
    json::object preconditions;
    if (!options.uid.empty()) preconditions["uid"] = options.uid;
    if (!options.resource_version.empty()) preconditions["resourceVersion"] = options.resource_version;
    if (!preconditions.empty()) body["preconditions"] = std::move(preconditions);
    TRY(call({.method = "DELETE",
              .path = path_of(type, name, ""),
              .body = json::to_string(body),
              .what = words("delete", type, name)},
             stop));
    return ok();
  }

  Status evict(const ObjectName& pod, std::string_view uid, const std::stop_token& stop) override {
    json::object body{
        {"apiVersion", "policy/v1"}, {"kind", "Eviction"}, {"metadata", {{"name", pod.name}, {"namespace", pod.ns}}}};
    if (!uid.empty()) body["deleteOptions"] = {{"preconditions", {{"uid", uid}}}};
    const ResourceType pods{"", "v1", "pods", "Pod", true};
    const Result<http::Response> response = send({.method = "POST",
                                                  .path = path_of(pods, pod, "eviction"),
                                                  .body = json::to_string(body),
                                                  .what = words("evict", pods, pod)},
                                                 stop);
    if (!response) return fail(response.error());
    if (response->status / 100 == 2) return ok();
    Error error = error_of(*response, words("evict", pods, pod));
    if (response->status == 500) error.code = Code::kInternal;  // several budgets cover the pod
    return fail(std::move(error));
  }

  Status watch(const ResourceType& type, const ListOptions& options, std::string_view resource_version,
               const std::function<bool(std::string_view, const value&)>& on_event,
               const std::stop_token& stop) override {
    Query query = selectors(options);
    query.emplace_back("watch", "true");
    query.emplace_back("allowWatchBookmarks", "true");
    query.emplace_back("resourceVersion", std::string(resource_version));
    const int64_t usual = kWatchSeconds + static_cast<int64_t>(runtime_.random() % kWatchJitterSeconds);
    const int64_t seconds = options.watch_seconds > 0 ? options.watch_seconds : usual;
    query.emplace_back("timeoutSeconds", std::to_string(seconds));
    const Call call{.path = path_of(type, options.ns), .query = std::move(query), .what = words("watch", type, {})};
    http::Request request = build(call);
    request.timeout = kWatchSilence;
    WatchSink sink(on_event, type, call.what);
    TRY_IN(call.what, transport_.stream(request, sink, stop));
    return sink.result();
  }

  Result<std::string> server_version(const std::stop_token& stop) override {
    const value version = TRY(call({.path = "/version", .what = "get the server's version"}, stop));
    return std::string(json::string_at(version, {"gitVersion"}));
  }

 private:
  using OnStart = std::function<void()>;
  using ReadPage = std::function<Result<ListHead>(std::string_view text)>;

  // Calls `on_start` when a list begins, and `read_page` with the text of each of its pages.
  Result<std::string> list_pages(const ResourceType& type, const ListOptions& options, const OnStart& on_start,
                                 const ReadPage& read_page, const std::stop_token& stop) {
    for (int restarts = 0;; ++restarts) {
      const int limit = restarts <= kListRestarts ? kListPageObjects : 0;
      on_start();
      Result<std::string> version = list_from_start(type, options, limit, read_page, stop);
      // A continue token has expired; a list without pages has none.
      if (version || version.error().code != Code::kGone || limit == 0) return version;
    }
  }

  Result<std::string> list_from_start(const ResourceType& type, const ListOptions& options, int limit,
                                      const ReadPage& read_page, const std::stop_token& stop) {
    std::string version, next;
    do {
      Query query = selectors(options);
      if (limit > 0) query.emplace_back("limit", std::to_string(limit));
      if (!next.empty()) query.emplace_back("continue", next);
      const Call list{.path = path_of(type, options.ns), .query = std::move(query), .what = words("list", type, {})};
      const http::Response response = TRY(accepted(list, stop));
      const Result<ListHead> page = read_page(response.body);
      if (!page) return fail(Code::kUnavailable, list.what + ": the answer is not JSON: " + page.error().message);
      version = page->resource_version;
      next = page->next;
    } while (!next.empty());
    return version;
  }

  Result<value> call(const Call& call, const std::stop_token& stop) {
    const http::Response response = TRY(send(call, stop));
    return parsed(response, call);
  }

  Result<value> parsed(const http::Response& response, const Call& call) {
    if (response.status / 100 != 2) return fail(error_of(response, call.what));
    Result<value> body = json::parse(response.body);
    if (!body) return fail(Code::kUnavailable, call.what + ": the answer is not JSON: " + body.error().message);
    return body;
  }

  Result<http::Response> accepted(const Call& call, const std::stop_token& stop) {
    http::Response response = TRY(send(call, stop));
    if (response.status / 100 != 2) return fail(error_of(response, call.what));
    return response;
  }

  Result<http::Response> send(const Call& call, const std::stop_token& stop) {
    const http::Request request = build(call);
    const Instant deadline = runtime_.now() + options_.request_timeout;
    bool renewed = false;
    for (int attempt = 1;; ++attempt) {
      TRY(take_turn(call, deadline, stop));
      http::Response response = TRY_IN(call.what, transport_.send(request, stop));
      const bool unauthorized = response.status == 401;
      std::optional<Duration> pause = pause_before_retry(response);
      if (!pause || attempt == kMaxAttempts || (unauthorized && std::exchange(renewed, true))) return response;
      if (*pause > Duration::zero()) {
        *pause += Duration(static_cast<int64_t>(runtime_.random() % static_cast<uint64_t>(pause->count() / 4)));
      }
      if (runtime_.now() + *pause > deadline) return response;
      if (runtime_.sleep_for(*pause, stop) == runtime::Wake::kStopped) return cancelled(call);
    }
  }

  Status take_turn(const Call& call, Instant deadline, const std::stop_token& stop) {
    if (!options_.limiter) return ok();
    switch (options_.limiter->take(deadline, stop)) {
      case runtime::Wake::kNotified: return ok();
      case runtime::Wake::kStopped: return cancelled(call);
      case runtime::Wake::kTimeout: break;
    }
    return fail(Code::kThrottled, call.what + ": not sent: the requests before it use up --kube-client-qps for " +
                                      format_go_duration(options_.request_timeout));
  }

  static tl::unexpected<Error> cancelled(const Call& call) {
    return fail(Code::kCancelled, call.what + ": cancelled before it was sent");
  }

  http::Request build(const Call& call) const {
    http::Request request;
    request.method = call.method;
    request.url = options_.server + call.path;
    char separator = '?';
    for (const auto& [name, text] : call.query) {
      request.url += separator + name + "=" + percent_encode(text);
      separator = '&';
    }
    request.headers.add("Accept", std::string(call.accept));
    request.headers.add("User-Agent", options_.user_agent);
    if (!options_.bearer_token.empty()) request.headers.add("Authorization", "Bearer " + options_.bearer_token);
    if (call.method != "GET") request.headers.add("Content-Type", call.content_type);
    request.body = call.body;
    request.timeout = options_.request_timeout;
    return request;
  }

  runtime::Runtime& runtime_;
  http::Transport& transport_;
  const ClientOptions options_;
};

}  // namespace

Result<std::string> Client::list_items(const ResourceType& type, const ListOptions& options, const OnItem& on_item,
                                       const std::stop_token& stop) {
  on_item(nullptr);
  ListPage all = TRY(list(type, options, stop));
  for (const value& item : all.items) on_item(&item);
  return std::move(all.resource_version);
}

std::shared_ptr<runtime::RateLimiter> make_request_limiter(runtime::Runtime& runtime, int qps, int burst) {
  if (qps == 0) return nullptr;
  return std::make_shared<runtime::RateLimiter>(runtime, Duration(1s) / qps, burst);
}

std::unique_ptr<Client> make_client(runtime::Runtime& runtime, http::Transport& transport, ClientOptions options) {
  return std::make_unique<HttpClient>(runtime, transport, std::move(options));
}

}  // namespace tenon::kube
