// Request bodies in Kubernetes' protobuf encoding, which `kubectl create` of current releases sends. Responses are
// JSON, which every client accepts as well.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string_view>

#include "kubesim/apiserver/base/error.h"

namespace tenon::kubesim::apiserver {

inline constexpr std::string_view kProtobufType = "application/vnd.kubernetes.protobuf";

// Decodes the envelope ("k8s", 0, runtime.Unknown) and the object in it to JSON. Errors: 400; 415 for a kind whose
// field numbers are unknown.
// parity: k8s.io/apimachinery/pkg/runtime/serializer/protobuf
Answer<boost::json::value> parse_protobuf(std::string_view body);

}  // namespace tenon::kubesim::apiserver
