// The labels and the overhead that the kwok provider derives from the name and the resources of an instance type.
// Pure. parity: karpenter kwok/cloudprovider/helpers.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/instance_type.h"

namespace tenon::cloud {

struct KwokTypeFacts {
  std::string name, arch;
  std::vector<std::string> systems;  // operating systems
  model::Resources capacity;
  std::vector<model::Offering> offerings;
};

// 100 millicores and 10 MiB are reserved for the kubelet.
model::InstanceType make_kwok_type(KwokTypeFacts facts);

// Returns the part of the name before the first "." or "-"; without one, the first character.
std::string kwok_family(std::string_view name);
// Returns the size of a name with the form of AWS ("m5.2xlarge": "2xlarge"), else the number of CPUs.
std::string kwok_size(std::string_view name, const std::string& cpus);

}  // namespace tenon::cloud
