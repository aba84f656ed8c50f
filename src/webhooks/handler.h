// The webhooks over HTTP: POST of a review to the path of its webhook (kPaths). Thread rule: any thread; no call
// blocks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "http/handler.h"

namespace tenon::webhooks {

// As in Karpenter: the paths in the webhook configurations of v0.27, and that of the CRDs of deploy/crds/v1beta1.
inline constexpr std::string_view kConversionPath = "/conversion", kDefaultsPath = "/default/karpenter.k8s.aws",
                                  kValidationPath = "/validate/";

// 200 with the answer; 400 for a body that is no review, 404 for another path, 405 for another method.
class ReviewHandler final : public http::Handler {
 public:
  void serve(const http::ServerRequest& request, http::ResponseWriter& writer, const std::stop_token& stop) override;
};

}  // namespace tenon::webhooks
