// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/front/lists.h"

#include <charconv>
#include <optional>

#include "base/text.h"
#include "json/json.h"
#include "kubesim/apiserver/base/limits.h"
#include "kubesim/apiserver/kinds/convert.h"

namespace tenon::kubesim::apiserver {
namespace {

using boost::json::value;

std::optional<uint64_t> to_number(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Answer<uint64_t> number_param(const ApiRequest& request, std::string_view key) {
  const std::string_view text = request.param(key);
  if (text.empty()) return uint64_t{0};
  const auto number = to_number(text);
  if (!number) {
    return refuse(bad_request(std::string(key) + ": Invalid value: \"" + std::string(text) + "\": must be a number"));
  }
  return *number;
}

// The error for a resourceVersion that this store has not reached yet.
ApiError future_version(uint64_t asked, uint64_t current) {
  ApiError error{
      .code = 504,
      .reason = "Timeout",
      .message = "Too large resource version: " + std::to_string(asked) + ", current: " + std::to_string(current),
      .retry_after_seconds = 1};
  error.causes.push_back({"ResourceVersionTooLarge", "Too large resource version", ""});
  return error;
}

class Streamer {
 public:
  Streamer(const ResourceInfo& served, const Selection& selection, const Renderer& renderer,
           http::ResponseWriter& writer)
      : served_(served), selection_(selection), renderer_(renderer), writer_(writer) {}

  Status begin() {
    return writer_.begin(200, {{"Content-Type", "application/json"}, {"Cache-Control", "no-cache, private"}});
  }
  Status added(const Object& object) { return send("ADDED", object); }
  Status change(const WatchEvent& event) {
    const bool now = event.type != WatchEvent::Type::kDeleted && selection_.matches(*event.object);
    const bool before = event.previous != nullptr && selection_.matches(*event.previous);
    if (now) return send(before ? "MODIFIED" : "ADDED", event.object);
    if (!before) return ok();
    if (event.type == WatchEvent::Type::kDeleted) return send("DELETED", event.object);
    // The object no longer matches: sends the last matching state with the version of the change.
    value last = *event.previous;
    json::ensure(last, {"metadata", "resourceVersion"}) = std::to_string(event.resource_version);
    return send("DELETED", std::make_shared<const value>(std::move(last)));
  }
  Status bookmark(uint64_t revision, std::string_view annotations = {}) {
    return writer_.write(renderer_.bookmark(revision, annotations));
  }
  Status error(const ApiError& error) {
    return writer_.write(R"({"type":"ERROR","object":)" + json::to_string(to_status(error)) + "}\n");
  }
  // Sends the buffered events.
  Status flush() {
    if (buffer_.empty()) return ok();
    std::string out = std::exchange(buffer_, {});
    return writer_.write(out);
  }

 private:
  // An object that cannot be converted ends the watch with an error event.
  Status send(std::string_view type, const Object& object) {
    if (!selection_.in_namespace(*object)) return ok();
    const auto converted = to_served(served_, std::vector<Object>{object});
    if (!converted) {
      TRY(flush());
      TRY(error(converted.error()));
      return fail(Code::kUnavailable, converted.error().message);
    }
    buffer_ += renderer_.event(type, *converted->front(), first_);
    first_ = false;
    constexpr size_t kFlushBytes = 256 << 10;
    return buffer_.size() < kFlushBytes ? ok() : flush();
  }

  const ResourceInfo& served_;
  const Selection& selection_;
  const Renderer& renderer_;
  http::ResponseWriter& writer_;
  std::string buffer_;
  bool first_ = true;
};

// Streams the changes of the log after `revision`.
void follow(Objects& objects, const ApiRequest& request, const Selection& selection, Streamer& out, uint64_t revision,
            const std::stop_token& stop) {
  runtime::Runtime& runtime = objects.runtime();
  const Resource resource = selection.info->storage();
  runtime::Event& changed = objects.store().changed(resource);
  const auto timeout = to_number(request.param("timeoutSeconds"));
  const Instant end =
      runtime.now() + (timeout.value_or(0) > 0 ? Duration(std::chrono::seconds(*timeout)) : kDefaultWatchTimeout);
  const bool bookmarks = request.flag("allowWatchBookmarks");
  Instant next_bookmark = bookmarks ? runtime.now() + kBookmarkPeriod : kNever;
  const uint64_t served_schema = objects.registry().version();
  while (!stop.stop_requested()) {
    const uint64_t seen = changed.version();
    const auto changes = objects.store().changes_since(resource, revision, kMaxWatchBatch);
    if (!changes) {
      (void)out.error(expired(changes.error().message));
      return;
    }
    revision = changes->revision;
    for (const WatchEvent& event : changes->events) {
      if (!out.change(event)) return;
    }
    if (!out.flush()) return;
    if (changes->events.size() == kMaxWatchBatch) continue;
    if (runtime.now() >= next_bookmark) {
      if (!out.bookmark(revision)) return;
      next_bookmark = runtime.now() + kBookmarkPeriod;
    }
    // The watch of a custom resource ends if its definition was deleted or changed.
    if (selection.info->custom && objects.registry().version() != served_schema &&
        objects.registry().get()->find(selection.info->group, selection.info->version, selection.info->plural) !=
            selection.info) {
      return;
    }
    if (changed.wait(seen, std::min(end, next_bookmark), stop) == runtime::Wake::kTimeout && runtime.now() >= end) {
      if (bookmarks) (void)out.bookmark(revision);
      return;
    }
  }
}

}  // namespace

bool Selection::in_namespace(const value& object) const {
  return ns.empty() || json::string_at(object, {"metadata", "namespace"}) == ns;
}

Answer<Selection> parse_selection(const InfoPtr& info, const ApiRequest& request) {
  // TRY_API is not inside the braces below: its return would leak the members that are already constructed.
  auto labels = TRY_API(Labels::parse(request.param("labelSelector")));
  auto fields = TRY_API(Fields::parse(*info, request.param("fieldSelector")));
  return Selection{info, request.ns, std::move(labels), std::move(fields)};
}

Pages::Page Pages::cut(uint64_t id, const Kept& kept, size_t from, size_t limit) const {
  const size_t size = kept.items->size();
  const size_t to = limit == 0 || size - from <= limit ? size : from + limit;
  Page page;
  page.items.assign(kept.items->begin() + static_cast<ptrdiff_t>(from),
                    kept.items->begin() + static_cast<ptrdiff_t>(to));
  page.meta.resource_version = kept.revision;
  if (to < size) {
    page.meta.continue_token = base64_encode(std::to_string(id) + ":" + std::to_string(to));
    page.meta.remaining = size - to;
  }
  return page;
}

Pages::Page Pages::first(std::vector<Object> items, uint64_t revision, size_t limit) {
  Kept kept{std::make_shared<const std::vector<Object>>(std::move(items)), revision, runtime_.now()};
  if (limit == 0 || kept.items->size() <= limit) return cut(0, kept, 0, 0);
  std::lock_guard lock(mutex_);
  const uint64_t id = next_id_++;
  kept_.emplace(id, kept);
  while (kept_.size() > kMaxListPages || kept_.begin()->second.since + kPageLifetime < runtime_.now())
    kept_.erase(kept_.begin());
  return cut(id, kept, 0, limit);
}

Answer<Pages::Page> Pages::next(std::string_view token, size_t limit) {
  std::string text;
  const bool readable = base64_decode(token, text);
  const auto [id_text, from_text] = tenon::cut(text, ':');
  const auto id = to_number(id_text), from = to_number(from_text);
  if (!readable || !id || !from) return refuse(bad_request("continue key is not valid: unrecognized token"));
  std::lock_guard lock(mutex_);
  const auto found = kept_.find(*id);
  if (found == kept_.end() || *from > found->second.items->size() ||
      found->second.since + kPageLifetime < runtime_.now()) {
    return refuse(
        expired("The provided continue parameter is too old to display a consistent list result. You can start a new "
                "list without the continue parameter."));
  }
  return cut(*id, found->second, *from, limit);
}

Answer<std::string> list_body(Objects& objects, Pages& pages, const ApiRequest& request, const ResourceInfo& served,
                              const Selection& selection, const Renderer& renderer) {
  const uint64_t limit = TRY_API(number_param(request, "limit"));
  if (const std::string_view token = request.param("continue"); !token.empty()) {
    const Pages::Page page = TRY_API(pages.next(token, limit));
    return renderer.list(TRY_API(to_served(served, page.items)), page.meta);
  }
  const uint64_t asked = TRY_API(number_param(request, "resourceVersion"));
  ObjectList list = objects.store().list(selection.info->storage(), selection.ns);
  if (asked > list.resource_version) return refuse(future_version(asked, list.resource_version));
  if (request.param("resourceVersionMatch") == "Exact" && asked != list.resource_version) {
    return refuse(expired("The resourceVersion for the provided list is too old."));
  }
  if (!selection.everything()) std::erase_if(list.items, [&](const Object& o) { return !selection.matches(*o); });
  const Pages::Page page = pages.first(std::move(list.items), list.resource_version, limit);
  return renderer.list(TRY_API(to_served(served, page.items)), page.meta);
}

Done serve_watch(Objects& objects, const ApiRequest& request, const ResourceInfo& served, const Selection& selection,
                 const Renderer& renderer, http::ResponseWriter& writer, const std::stop_token& stop) {
  if (request.flag("sendInitialEvents") && request.param("resourceVersionMatch") != "NotOlderThan") {
    return refuse(bad_request("sendInitialEvents: resourceVersionMatch=NotOlderThan is required with it"));
  }
  uint64_t revision = TRY_API(number_param(request, "resourceVersion"));
  const Resource resource = selection.info->storage();
  const bool initial = revision == 0 || request.flag("sendInitialEvents");
  const uint64_t current = objects.store().revision();
  if (revision > current) return refuse(future_version(revision, current));
  ObjectList list;
  if (initial) {
    list = objects.store().list(resource, selection.ns);
    revision = list.resource_version;
  }
  // If the version is too old, the first event of the stream reports it, as in a real API server.
  Streamer out(served, selection, renderer, writer);
  if (!out.begin()) return {};
  for (const Object& object : list.items) {
    if (selection.matches(*object) && !out.added(object)) return {};
  }
  if (!out.flush()) return {};
  if (request.flag("sendInitialEvents") && request.flag("allowWatchBookmarks") &&
      !out.bookmark(revision, R"({"k8s.io/initial-events-end":"true"})")) {
    return {};
  }
  follow(objects, request, selection, out, revision, stop);
  return {};
}

}  // namespace tenon::kubesim::apiserver
