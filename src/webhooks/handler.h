// Serves the webhooks over HTTP: a client posts a review to the path of its webhook. Thread rule: any thread; no call
// blocks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "http/handler.h"

namespace tenon::webhooks {

// The paths in the CRDs of deploy/crds/v1beta1 and, as in Karpenter v0.27, in the webhook configurations.
inline constexpr std::string_view kConversionPath = "/conversion", kDefaultsPath = "/default/karpenter.k8s.aws",
                                  kValidationPath = "/validate/";

// Responds with 200 and the answer, or with 400 (the body is no review), 404 (unknown path), 405 (not POST).
class ReviewHandler final : public http::Handler {
 public:
  void serve(const http::ServerRequest& request, http::ResponseWriter& writer, const std::stop_token& stop) override;
};

}  // namespace tenon::webhooks
