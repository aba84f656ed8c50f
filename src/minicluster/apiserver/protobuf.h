// Request bodies in Kubernetes' protobuf encoding, which `kubectl create` of current releases sends. Answers are JSON,
// which every client takes as well.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string_view>

#include "minicluster/apiserver/error.h"

namespace tenon::minicluster::apiserver {

inline constexpr std::string_view kProtobufType = "application/vnd.kubernetes.protobuf";

// The envelope ("k8s", 0, runtime.Unknown) and the object in it, as the JSON it stands for. Errors: 400; 415 for a kind
// whose fields' numbers are not known.
// parity: k8s.io/apimachinery/pkg/runtime/serializer/protobuf
Answer<boost::json::value> parse_protobuf(std::string_view body);

}  // namespace tenon::minicluster::apiserver
