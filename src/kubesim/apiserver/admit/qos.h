// A pod's quality of service class.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string_view>

namespace tenon::kubesim::apiserver {

// Returns Guaranteed, Burstable or BestEffort, from the cpu and memory of the containers. A missing request equals its
// limit.
std::string_view pod_qos_class(const boost::json::value& pod);

}  // namespace tenon::kubesim::apiserver
