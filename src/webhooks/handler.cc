// SPDX-License-Identifier: Apache-2.0
#include "webhooks/handler.h"

#include <string>

#include "json/json.h"
#include "webhooks/reviews.h"

namespace tenon::webhooks {
namespace {

http::Response text(int status, const std::string& message) {
  return {.status = status, .headers = {{"Content-Type", "text/plain"}}, .body = message + "\n"};
}

using Review = Result<json::value> (*)(const json::value&);

Review review_at(std::string_view path) {
  // Karpenter 1.0 had a path for each group; its CRDs as installed have none.
  for (const std::string_view known : {"/", "/conversion/karpenter.sh", "/conversion/karpenter.k8s.aws"}) {
    if (path == known) return convert;
  }
  if (path == kConversionPath) return convert;
  if (path == kDefaultsPath) return set_defaults;
  for (const std::string_view group : {"karpenter.sh", "karpenter.k8s.aws", "config.karpenter.sh"}) {
    if (path == std::string(kValidationPath) + std::string(group)) return validate;
  }
  return nullptr;
}

}  // namespace

void ReviewHandler::serve(const http::ServerRequest& request, http::ResponseWriter& writer,
                          const std::stop_token& /*stop*/) {
  const Review review = review_at(request.raw_path);
  if (review == nullptr) return writer.respond(text(404, "no webhook has the path " + request.raw_path));
  if (request.method != "POST") return writer.respond(text(405, "a review is sent by POST"));
  const auto body = json::parse(request.body);
  const auto answer = body ? review(*body) : Result<json::value>(fail(body.error()));
  if (!answer) return writer.respond(text(400, answer.error().message));
  writer.respond({.status = 200, .headers = {{"Content-Type", "application/json"}}, .body = json::to_string(*answer)});
}

}  // namespace tenon::webhooks
