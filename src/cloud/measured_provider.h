// Counts and times the calls of any provider under Karpenter's names. parity: karpenter pkg/cloudprovider/metrics
// Thread rule: any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cloud/provider.h"
#include "metrics/registry.h"
#include "runtime/runtime.h"

namespace tenon::cloud {

// `runtime` and `registry` are borrowed; `name` is the value of the label provider: "aws". The label controller is the
// name of the calling Task (runtime/task_name.h).
std::unique_ptr<Provider> measure(std::unique_ptr<Provider> provider, const std::string& name,
                                  runtime::Runtime& runtime, metrics::Registry& registry);

}  // namespace tenon::cloud
