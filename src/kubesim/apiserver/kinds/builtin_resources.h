// The built-in resources of Kubernetes, read from data/kubernetes/resources.txt. Its header comment states the format.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/result.h"
#include "kubesim/apiserver/base/data_file.h"
#include "kubesim/apiserver/kinds/registry.h"

namespace tenon::kubesim::apiserver {

// Returns the resources of the file, in its order. Errors: kInvalid with file, line, resource and field: unknown verbs,
// traits and attributes, attributes without a value, names that exist twice.
Result<std::vector<ResourceInfo>> read_resources(const DataFile& file);

// data/kubernetes/resources.txt as compiled into the binary.
DataFile builtin_resource_file();
// Its resources: read once, at the first call. Thread rule: any thread.
std::vector<InfoPtr> builtin_resources();

}  // namespace tenon::kubesim::apiserver
