// SPDX-License-Identifier: Apache-2.0
#include "faults/read_rewriter.h"

#include <algorithm>
#include <boost/json/value.hpp>
#include <utility>
#include <vector>

#include "base/text.h"
#include "json/json.h"

namespace tenon::faults {
namespace {

using json::value;

// Returns the plural of a read that the rewriter is for; empty for other requests. A subresource does not count.
std::string resource_of(const http::Request& request, const ReadRewriter& rewriter) {
  const auto url = http::parse_url(request.url);
  if (request.method != "GET" || !url) return {};
  for (const std::string_view part : split(url->path, '/')) {
    if (rewriter.resources.contains(part)) return std::string(part);
  }
  return {};
}

void rewrite_answer(std::string_view resource, const ReadRewriter& rewriter, std::string& body) {
  auto answer = json::parse(body);
  if (!answer) return;
  value* items = json::find(*answer, {"items"});
  if (items && items->is_array()) {
    json::array kept;
    for (value& object : items->get_array()) {
      if (rewriter.rewrite(resource, object)) kept.push_back(std::move(object));
    }
    items->get_array() = std::move(kept);
  } else {
    (void)rewriter.rewrite(resource, *answer);
  }
  body = json::to_string(*answer);
}

// One line per event of a watch.
class RewritingSink final : public http::StreamSink {
 public:
  RewritingSink(http::StreamSink& inner, std::string resource, const ReadRewriter& rewriter)
      : inner_(inner), resource_(std::move(resource)), rewriter_(rewriter) {}
  bool on_head(int status, const http::Headers& headers) override { return inner_.on_head(status, headers); }
  bool on_data(std::string_view bytes) override {
    partial_ += bytes;
    std::string out;
    for (size_t end = partial_.find('\n'); end != std::string::npos; end = partial_.find('\n')) {
      out += rewritten(partial_.substr(0, end));
      partial_.erase(0, end + 1);
    }
    return out.empty() || inner_.on_data(out);
  }

 private:
  std::string rewritten(const std::string& line) {
    auto event = json::parse(line);
    value* object = event ? json::find(*event, {"object"}) : nullptr;
    const auto type = event ? json::string_at(*event, {"type"}) : std::string_view();
    if (!object || (type != "ADDED" && type != "MODIFIED" && type != "DELETED")) return line + "\n";
    return rewriter_.rewrite(resource_, *object) ? json::to_string(*event) + "\n" : "";
  }

  http::StreamSink& inner_;
  const std::string resource_;
  const ReadRewriter& rewriter_;
  std::string partial_;
};

class RewritingTransport final : public http::Transport {
 public:
  RewritingTransport(std::unique_ptr<http::Transport> inner, ReadRewriter rewriter)
      : inner_(std::move(inner)), rewriter_(std::move(rewriter)) {}
  Result<http::Response> send(const http::Request& request, const std::stop_token& stop) override {
    Result<http::Response> answer = inner_->send(request, stop);
    const std::string resource = resource_of(request, rewriter_);
    if (answer && answer->status == 200 && !resource.empty()) rewrite_answer(resource, rewriter_, answer->body);
    return answer;
  }
  Status stream(const http::Request& request, http::StreamSink& sink, const std::stop_token& stop) override {
    const std::string resource = resource_of(request, rewriter_);
    if (resource.empty()) return inner_->stream(request, sink, stop);
    RewritingSink rewriting(sink, resource, rewriter_);
    return inner_->stream(request, rewriting, stop);
  }

 private:
  const std::unique_ptr<http::Transport> inner_;
  const ReadRewriter rewriter_;
};

}  // namespace

std::unique_ptr<http::Transport> rewrite_reads(std::unique_ptr<http::Transport> inner, ReadRewriter rewriter) {
  return std::make_unique<RewritingTransport>(std::move(inner), std::move(rewriter));
}

}  // namespace tenon::faults
