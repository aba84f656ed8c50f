// What a default topology spread is read from: the scheduler configuration, and the objects that select pods.
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

// The constraints of a --scheduler-config file, YAML or JSON: `podTopologySpread: {defaultConstraints: [...]}`. Checked
// strictly: an unknown field is an error. Errors: kInvalid, naming the field.
// parity: karpenter pkg/controllers/provisioning/scheduling/defaultconstraints.go
Result<std::vector<model::SpreadConstraint>> parse_scheduler_config(std::string_view text);

// A Service, ReplicationController, ReplicaSet or StatefulSet; `kind` says which, as items of lists do not.
// `fault`: as of the functions of codec.h.
Result<model::PodSelector> decode_pod_selector(const boost::json::value& document, const std::string& kind,
                                               std::string* fault = nullptr);

}  // namespace tenon::kube::codec
