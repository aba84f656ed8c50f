// The interruption queue in SQS that EventBridge rules write to.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "aws/client.h"
#include "cloud/interruption.h"

namespace tenon::cloud {

// `client` is borrowed. No request is sent before the first call. A queue that is deleted and created again is found
// again.
std::unique_ptr<InterruptionQueue> make_sqs_interruptions(aws::Client& client, std::string queue_name);

}  // namespace tenon::cloud
