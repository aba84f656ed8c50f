// SPDX-License-Identifier: Apache-2.0
#include "cli/process/endpoints.h"

#include "metrics/text.h"

namespace tenon::cli {

void EndpointHandler::serve(const http::ServerRequest& request, http::ResponseWriter& writer, const std::stop_token&) {
  const auto text = [&](int status, std::string body) {
    writer.respond({status, {{"Content-Type", "text/plain; charset=utf-8"}}, std::move(body)});
  };
  if (request.method != "GET" && request.method != "HEAD") return text(405, "method not allowed\n");
  if (request.raw_path == "/metrics") {
    const metrics::Format format = metrics::negotiate(request.headers.get("Accept"));
    return writer.respond(
        {200, {{"Content-Type", std::string(metrics::content_type(format))}}, registry_.text(format)});
  }
  if (request.raw_path == "/healthz") return text(200, "ok");
  if (request.raw_path == "/readyz") {
    const std::string why = not_ready_ ? not_ready_() : std::string();
    return text(why.empty() ? 200 : 503, why.empty() ? "ok" : "not ready:\n" + why + "\n");
  }
  text(404, "not found\n");
}

}  // namespace tenon::cli
