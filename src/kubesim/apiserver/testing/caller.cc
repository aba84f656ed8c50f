// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/testing/caller.h"

#include <cstdlib>

#include "base/text.h"
#include "json/json.h"

namespace tenon::kubesim::testing {
namespace {

struct Recorder : http::ResponseWriter {
  void respond(http::Response response) override { answer = std::move(response); }
  Status begin(int status, http::Headers headers) override {
    answer = {.status = status, .headers = std::move(headers)};
    return ok();
  }
  Status write(std::string_view bytes) override {
    answer.body += bytes;
    return ok();
  }
  http::Response answer;
};

http::ServerRequest request_of(const std::string& method, const std::string& path_and_query) {
  const auto [path, query] = cut(path_and_query, '?');
  http::ServerRequest request;
  request.method = method;
  request.host = "api";
  request.raw_path = path;
  request.raw_query = query;
  return request;
}

std::string event_text(std::string_view line) {
  const auto event = json::parse(line);
  if (!event) return std::string(line);
  const std::string type(json::string_at(*event, {"type"}));
  if (type == "ERROR") return type + " " + std::to_string(json::int_at(*event, {"object", "code"}));
  return type + " " + std::string(json::string_at(*event, {"object", "metadata", "name"}));
}

}  // namespace

Caller::Caller(ApiServerOptions options)
    : sim_(runtime::make_sim_runtime({})), api_(make_api_server(*sim_, std::move(options))) {}

std::string Caller::Answer::at(std::string_view path) const {
  const json::value* here = &body;
  for (const std::string_view step : split(path, '/')) {
    if (const json::array* items = here->if_array()) {
      const size_t index = std::strtoull(std::string(step).c_str(), nullptr, 10);
      here = index < items->size() ? &(*items)[index] : nullptr;
    } else {
      here = json::find(*here, {step});
    }
    if (here == nullptr) return {};
  }
  return here->is_string() ? std::string(here->get_string()) : json::to_string(*here);
}

Caller::Answer Caller::call(const std::string& method, const std::string& path_and_query, const std::string& body,
                            const CallOptions& options) {
  http::ServerRequest request = request_of(method, path_and_query);
  request.headers.set("Accept", options.accept);
  if (!body.empty()) request.headers.set("Content-Type", options.type);
  request.body = body;
  Recorder recorder;
  api_->serve(request, recorder, {});
  auto parsed = json::parse(recorder.answer.body);
  return {recorder.answer.status, parsed ? *parsed : json::value(), recorder.answer.body,
          std::string(recorder.answer.headers.get("Content-Type"))};
}

std::vector<std::string> Caller::watch(const std::string& path_and_query) {
  Recorder recorder;
  {
    const auto task = sim_->spawn(
        "watch", [&](const std::stop_token& stop) { api_->serve(request_of("GET", path_and_query), recorder, stop); });
    sim_->run_for(1s);
  }
  if (recorder.answer.status != 200) return {"HTTP " + std::to_string(recorder.answer.status)};
  std::vector<std::string> events;
  for (const std::string_view line : split(recorder.answer.body, '\n')) {
    if (!line.empty()) events.push_back(event_text(line));
  }
  return events;
}

}  // namespace tenon::kubesim::testing
