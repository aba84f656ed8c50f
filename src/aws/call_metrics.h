// Counts and times the calls of a Client under the metric names of Karpenter's dashboards.
// parity: aws_sdk_go_* of the AWS SDK's middleware
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "aws/client.h"
#include "metrics/registry.h"

namespace tenon::aws {

// `registry` is borrowed and must outlive the client. `code` is the HTTP status, "" without a response.
Observer count_calls(metrics::Registry& registry);

}  // namespace tenon::aws
