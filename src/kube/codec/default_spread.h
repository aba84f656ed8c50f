// The sources of a default topology spread: the scheduler configuration, and the objects that select pods.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/affinity.h"
#include "model/pod_selector.h"

namespace tenon::kube::codec {

// Parses the constraints of a --scheduler-config file, YAML or JSON: `podTopologySpread: {defaultConstraints: [...]}`.
// Strict: an unknown field is an error. Errors: kInvalid, with the field.
// parity: karpenter pkg/controllers/provisioning/scheduling/defaultconstraints.go
Result<std::vector<model::SpreadConstraint>> parse_scheduler_config(std::string_view text);

// Decodes a Service, ReplicationController, ReplicaSet or StatefulSet; `kind` selects it, because list items have no
// kind. `fault`: as in codec.h.
Result<model::PodSelector> decode_pod_selector(const boost::json::value& document, const std::string& kind,
                                               std::string* fault = nullptr);

}  // namespace tenon::kube::codec
