// SPDX-License-Identifier: Apache-2.0
#include "kube/testing/fake_api.h"

#include <algorithm>
#include <deque>
#include <optional>

#include "base/text.h"
#include "json/json.h"

namespace tenon::kube::testing {
namespace {

using json::value;

struct Logged {
  uint64_t version = 0;
  std::string collection, type;
  value object;
};

std::string key_of(const value& object) {
  const std::string ns(json::string_at(object, {"metadata", "namespace"}));
  return (ns.empty() ? "" : ns + "/") + std::string(json::string_at(object, {"metadata", "name"}));
}

http::Response status(int code, std::string_view reason, std::string_view message, std::string_view key = {}) {
  const value body = json::object{{"kind", "Status"},
                                  {"apiVersion", "v1"},
                                  {"status", "Failure"},
                                  {"message", message},
                                  {"reason", reason},
                                  {"code", code},
                                  {"details", json::object{{"name", key.substr(key.rfind('/') + 1)}}}};
  return {code, {{"Content-Type", "application/json"}}, json::to_string(body)};
}

http::Response json_answer(int code, const value& body) {
  return {code, {{"Content-Type", "application/json"}}, json::to_string(body)};
}

// The pieces of "/api/v1/namespaces/ns/pods/name/sub"; the collection is the path over all namespaces.
struct Target {
  std::string collection, key, subresource;
};

Target target_of(std::string_view path) {
  const std::vector<std::string_view> parts = split(path.substr(1), '/');
  size_t at = parts[0] == "api" ? 2 : 3;  // after the version
  Target out;
  for (size_t i = 0; i < at && i < parts.size(); ++i) out.collection += "/" + std::string(parts[i]);
  std::string ns;
  if (parts.size() > at + 2 && parts[at] == "namespaces") {
    ns = percent_decode(parts[at + 1]);
    at += 2;
  }
  if (at < parts.size()) out.collection += "/" + std::string(parts[at]);
  if (at + 1 < parts.size()) out.key = (ns.empty() ? "" : ns + "/") + percent_decode(parts[at + 1]);
  if (at + 2 < parts.size()) out.subresource = parts[at + 2];
  return out;
}

}  // namespace

struct FakeApi::State {
  uint64_t version = 100;
  uint64_t forgotten_below = 0;
  bool gone_as_event = false;
  uint64_t watch_generation = 0;  // end_watches() ends watches of earlier generations
  uint64_t bookmarks = 0;
  std::map<std::string, std::map<std::string, value>> collections;
  std::map<std::string, std::set<std::string>> left_out;  // from lists, by collection
  std::set<std::string> forgotten_kinds;
  bool silent = false;
  std::vector<Logged> log;
  std::deque<http::Response> failures;
  std::vector<std::string> requests;
  http::ServerRequest last;

  value store(const std::string& collection, value object) {
    auto& objects = collections[collection];
    const std::string key = key_of(object);
    const auto it = objects.find(key);
    const bool added = it == objects.end();
    ++version;
    json::ensure(object, {"metadata", "resourceVersion"}) = std::to_string(version);
    if (json::string_at(object, {"metadata", "uid"}).empty()) {
      json::ensure(object, {"metadata", "uid"}) =
          added ? "uid-" + std::to_string(version) : std::string(json::string_at(it->second, {"metadata", "uid"}));
    }
    log.push_back({version, collection, added ? "ADDED" : "MODIFIED", object});
    objects[key] = object;
    return object;
  }

  http::Response list(const std::string& collection, const std::vector<std::pair<std::string, std::string>>& query) {
    size_t limit = 0, from = 0;
    for (const auto& [name, text] : query) {
      if (name == "limit") limit = std::stoul(text);
      if (name == "continue") from = std::stoul(text);
    }
    if (from > 0 && forgotten_below > 0) return status(410, "Expired", "the continue token is too old");
    json::array items;
    size_t index = 0;
    bool more = false;
    for (const auto& [key, object] : collections[collection]) {
      if (left_out[collection].contains(key) || index++ < from) continue;
      more = limit > 0 && items.size() == limit;
      if (more) break;
      items.push_back(object);
    }
    json::object meta{{"resourceVersion", std::to_string(version)}};
    if (more) meta["continue"] = std::to_string(from + items.size());
    return json_answer(200, json::object{{"kind", "List"}, {"metadata", std::move(meta)}, {"items", std::move(items)}});
  }

  http::Response write(const http::ServerRequest& request, const Target& target) {
    auto& objects = collections[target.collection];
    const Result<value> body = json::parse(request.body);
    if (!body) return status(400, "BadRequest", body.error().message);
    if (request.method == "POST") {
      if (target.subresource == "eviction") return status(429, "TooManyRequests", "the budget forbids it");
      if (objects.contains(key_of(*body))) return status(409, "AlreadyExists", "already exists");
      return json_answer(201, store(target.collection, *body));
    }
    const auto it = objects.find(target.key);
    if (it == objects.end()) return status(404, "NotFound", "\"" + target.key + "\" not found", target.key);
    if (request.method == "PATCH") return json_answer(200, it->second);
    if (request.method == "PUT") {
      const std::string_view wanted = json::string_at(*body, {"metadata", "resourceVersion"});
      if (!wanted.empty() && wanted != json::string_at(it->second, {"metadata", "resourceVersion"})) {
        return status(409, "Conflict", "the object has been modified");
      }
      return json_answer(200, store(target.collection, *body));
    }
    const std::string_view uid = json::string_at(*body, {"preconditions", "uid"});
    if (!uid.empty() && uid != json::string_at(it->second, {"metadata", "uid"})) {
      return status(409, "Conflict", "the uid is another");
    }
    erase(target.collection, target.key);
    return status(200, "", "");
  }

  void erase(const std::string& collection, const std::string& key) {
    auto& objects = collections[collection];
    const auto it = objects.find(key);
    if (it == objects.end()) return;
    value object = std::move(it->second);
    objects.erase(it);
    json::ensure(object, {"metadata", "resourceVersion"}) = std::to_string(++version);
    log.push_back({version, collection, "DELETED", std::move(object)});
  }
};

FakeApi::FakeApi(runtime::Runtime& runtime)
    : runtime_(runtime), state_(std::make_unique<State>()), changed_(runtime.make_event()) {}
FakeApi::~FakeApi() = default;

void FakeApi::put(const std::string& collection, const std::string& document) {
  put_object(collection, *json::parse(document));
}

void FakeApi::put_object(const std::string& collection, value object) {
  {
    const std::lock_guard lock(mutex_);
    state_->store(collection, std::move(object));
  }
  changed_->notify();
}

void FakeApi::remove(const std::string& collection, const std::string& key) {
  {
    const std::lock_guard lock(mutex_);
    state_->erase(collection, key);
  }
  changed_->notify();
}

std::string FakeApi::get(const std::string& collection, const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto& objects = state_->collections[collection];
  const auto it = objects.find(key);
  return it == objects.end() ? "" : json::to_string(it->second);
}

size_t FakeApi::count(const std::string& collection) const {
  const std::lock_guard lock(mutex_);
  return state_->collections[collection].size();
}

void FakeApi::fail_next(int n, int code, const std::string& body, http::Headers headers) {
  const std::lock_guard lock(mutex_);
  for (int i = 0; i < n; ++i) state_->failures.push_back({code, headers, body});
}

void FakeApi::clear_failures() {
  const std::lock_guard lock(mutex_);
  state_->failures.clear();
}

void FakeApi::truncate_lists(const std::string& collection, std::set<std::string> keys) {
  const std::lock_guard lock(mutex_);
  state_->left_out[collection] = std::move(keys);
}

void FakeApi::forget_kind(const std::string& collection, bool forgotten) {
  const std::lock_guard lock(mutex_);
  if (forgotten) {
    state_->forgotten_kinds.insert(collection);
  } else {
    state_->forgotten_kinds.erase(collection);
  }
}

void FakeApi::silence_watches(bool silent) {
  const std::lock_guard lock(mutex_);
  state_->silent = silent;
}

void FakeApi::end_watches() {
  {
    const std::lock_guard lock(mutex_);
    ++state_->watch_generation;
  }
  changed_->notify();
}

void FakeApi::compact(bool as_event) {
  {
    const std::lock_guard lock(mutex_);
    state_->forgotten_below = ++state_->version;
    state_->gone_as_event = as_event;
    state_->log.clear();
    ++state_->watch_generation;
  }
  changed_->notify();
}

void FakeApi::bookmark() {
  {
    const std::lock_guard lock(mutex_);
    ++state_->bookmarks;
  }
  changed_->notify();
}

std::vector<std::string> FakeApi::requests() const {
  const std::lock_guard lock(mutex_);
  return state_->requests;
}

size_t FakeApi::requests_with(const std::string& text) const {
  const auto all = requests();
  return static_cast<size_t>(
      std::count_if(all.begin(), all.end(), [&](const auto& r) { return r.find(text) != std::string::npos; }));
}

http::ServerRequest FakeApi::last_request() const {
  const std::lock_guard lock(mutex_);
  return state_->last;
}

void FakeApi::serve(const http::ServerRequest& request, http::ResponseWriter& writer, const std::stop_token& stop) {
  const Target target = target_of(request.raw_path);
  const auto query = http::parse_query(request.raw_query);
  uint64_t watch_from = 0;
  bool watch = false;
  Instant watch_end = kNever;
  for (const auto& [name, text] : query) {
    if (name == "watch") watch = true;
    if (name == "resourceVersion") watch_from = std::stoull(text);
    if (name == "timeoutSeconds") watch_end = runtime_.now() + std::chrono::seconds(std::stoll(text));
  }
  std::optional<http::Response> answer;
  {
    const std::lock_guard lock(mutex_);
    state_->requests.push_back(request.method + " " + request.raw_path +
                               (request.raw_query.empty() ? "" : "?" + request.raw_query));
    state_->last = request;
    if (!state_->failures.empty()) {
      answer = std::move(state_->failures.front());
      state_->failures.pop_front();
    } else if (state_->forgotten_kinds.contains(target.collection)) {
      answer = status(404, "NotFound", "the server could not find the requested resource");
    } else if (request.method != "GET") {
      answer = state_->write(request, target);
    } else if (target.collection == "/version") {
      answer = json_answer(200, json::object{{"gitVersion", "v1.33.0"}});
    } else if (!target.key.empty()) {
      const auto& objects = state_->collections[target.collection];
      const auto it = objects.find(target.key);
      answer = it == objects.end() ? status(404, "NotFound", "\"" + target.key + "\" not found", target.key)
                                   : json_answer(200, it->second);
    } else if (!watch) {
      answer = state_->list(target.collection, query);
    }
  }
  if (!answer) return serve_watch(target.collection, watch_from, watch_end, writer, stop);
  writer.respond(*std::move(answer));
  changed_->notify();
}

void FakeApi::serve_watch(const std::string& collection, uint64_t from, Instant end, http::ResponseWriter& writer,
                          const std::stop_token& stop) {
  uint64_t generation = 0, bookmarks = 0;
  bool too_old = false, as_event = false, silent = false;
  {
    const std::lock_guard lock(mutex_);
    generation = state_->watch_generation;
    bookmarks = state_->bookmarks;
    too_old = from < state_->forgotten_below;
    as_event = state_->gone_as_event;
  }
  const http::Response gone = status(410, "Expired", "too old resource version");
  if (too_old && !as_event) return writer.respond(gone);
  if (!writer.begin(200, {{"Content-Type", "application/json"}})) return;
  if (too_old) return (void)writer.write("{\"type\":\"ERROR\",\"object\":" + gone.body + "}\n");
  while (true) {
    const uint64_t seen = changed_->version();
    std::string text;
    {
      const std::lock_guard lock(mutex_);
      if (state_->watch_generation != generation && !silent) return;
      silent = silent || state_->silent;
      for (const Logged& entry : state_->log) {
        if (entry.version <= from || silent) continue;
        from = entry.version;
        if (entry.collection != collection) continue;
        text += "{\"type\":\"" + entry.type + "\",\"object\":" + json::to_string(entry.object) + "}\n";
      }
      if (bookmarks != state_->bookmarks && !silent) {
        bookmarks = state_->bookmarks;
        from = state_->version;
        text += R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":")" + std::to_string(from) + "\"}}}\n";
      }
    }
    // In two pieces, as a network may deliver them.
    const size_t half = text.size() / 2;
    if (!text.empty() && (!writer.write(text.substr(0, half)) || !writer.write(text.substr(half)))) return;
    const runtime::Wake wake = changed_->wait(seen, silent ? kNever : end, stop);
    if (wake == runtime::Wake::kStopped || (wake == runtime::Wake::kTimeout && !silent)) return;
  }
}

}  // namespace tenon::kube::testing
