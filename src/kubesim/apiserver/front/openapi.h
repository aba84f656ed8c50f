// The parts of the OpenAPI documents that kubectl needs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "kubesim/apiserver/base/error.h"
#include "kubesim/apiserver/front/request.h"
#include "kubesim/apiserver/kinds/registry.h"

namespace tenon::kubesim::apiserver {

struct OpenApiReply {
  std::string body, content_type;
};
// Serves /openapi/v2 (protobuf, paths only: this disables client-side validation), /openapi/v3 (the index) and
// /openapi/v3/<group version>. `version`: of the registry; it is part of the URLs in the index.
Answer<OpenApiReply> serve_openapi(const ApiRequest& request, const Registry& registry, uint64_t version);

// openapi_v2.cc
std::string openapi_v2(const Registry& registry);

}  // namespace tenon::kubesim::apiserver
