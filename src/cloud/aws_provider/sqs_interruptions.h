// The queue of interruptions that is an SQS queue which EventBridge rules write into.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "aws/client.h"
#include "cloud/interruption.h"

namespace tenon::cloud {

// `client` is borrowed. Nothing is asked before the first call; a queue that is made anew is found again.
std::unique_ptr<InterruptionQueue> make_sqs_interruptions(aws::Client& client, std::string queue_name);

}  // namespace tenon::cloud
