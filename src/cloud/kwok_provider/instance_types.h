// The instance types that a cluster of kwok offers: those of a file, or computed ones.
//
//   [{"name": "c-1x-amd64-linux", "architecture": "amd64", "operatingSystems": ["linux"],
//     "resources": {"cpu": "1", "memory": "2Gi"},
//     "offerings": [{"Price": 0.027, "Requirements": [
//       {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["spot"]},
//       {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["test-zone-a"]}]}]}]
//
// Names of fields have any case. Every offering is available, whatever its field Available says; "zone" and
// "capacityType" beside the price are another form of its requirements. Prices are USD per hour. A type without "pods"
// among its resources has 110. Types of one name are one type, with the operating systems and architectures of all.
// Pure. parity: karpenter kwok/cloudprovider/helpers.go, kwok/tools/gen_instance_types.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/instance_type.h"

namespace tenon::cloud {

// Returns the types by name. Errors: kInvalid, with the path: "[3].offerings[0].price: must be a number".
Result<std::vector<model::InstanceType>> parse_kwok_types(std::string_view json);
// Returns the 144 types that Karpenter's kwok provider has without a file, by name: 1 to 256 CPUs with 2, 4 or 8 GiB
// each, amd64 and arm64, Linux and Windows, in four zones, on demand and spot.
std::vector<model::InstanceType> default_kwok_types();

}  // namespace tenon::cloud
