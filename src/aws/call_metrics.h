// Counts and times the calls of a Client under the names that Karpenter's dashboards know.
// parity: aws_sdk_go_* of the AWS SDK's middleware
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "aws/client.h"
#include "metrics/registry.h"

namespace tenon::aws {

// `registry` is borrowed and outlives the client. `code` is the HTTP status, "" where there was no answer.
Observer count_calls(metrics::Registry& registry);

}  // namespace tenon::aws
