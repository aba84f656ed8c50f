// list and watch over HTTP: selectors, pages, versions, streams.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "http/handler.h"
#include "kubesim/apiserver/front/request.h"
#include "kubesim/apiserver/kinds/selectors.h"
#include "kubesim/apiserver/objects/objects.h"
#include "kubesim/apiserver/show/render.h"

namespace tenon::kubesim::apiserver {

// The part of a collection that a request selects.
struct Selection {
  InfoPtr info;
  std::string ns;
  Labels labels;
  Fields fields;
  bool everything() const { return labels.everything() && fields.everything(); }
  bool matches(const boost::json::value& object) const { return labels.matches(object) && fields.matches(object); }
  bool in_namespace(const boost::json::value& object) const;
};
Answer<Selection> parse_selection(const InfoPtr& info, const ApiRequest& request);

// Lists that are read page by page. All pages show the state at the first page. Thread rule: any thread.
class Pages {
 public:
  explicit Pages(runtime::Runtime& runtime) : runtime_(runtime) {}
  struct Page {
    std::vector<Object> items;
    Renderer::ListMeta meta;
  };
  // Returns the next page. Errors: 410 if the list of the token was dropped, 400 if the token is not valid.
  Answer<Page> next(std::string_view token, size_t limit);
  Page first(std::vector<Object> items, uint64_t revision, size_t limit);

 private:
  struct Kept {
    std::shared_ptr<const std::vector<Object>> items;
    uint64_t revision = 0;
    Instant since = {};
  };
  Page cut(uint64_t id, const Kept& kept, size_t from, size_t limit) const;

  runtime::Runtime& runtime_;
  std::mutex mutex_;
  uint64_t next_id_ = 1;
  std::map<uint64_t, Kept> kept_;
};

// `served`: the version of the request; the selection has the stored one.
Answer<std::string> list_body(Objects& objects, Pages& pages, const ApiRequest& request, const ResourceInfo& served,
                              const Selection& selection, const Renderer& renderer);

// Streams changes until the client disconnects, its timeout passes or `stop` is requested. Returns an error only if the
// stream cannot start.
Done serve_watch(Objects& objects, const ApiRequest& request, const ResourceInfo& served, const Selection& selection,
                 const Renderer& renderer, http::ResponseWriter& writer, const std::stop_token& stop);

}  // namespace tenon::kubesim::apiserver
