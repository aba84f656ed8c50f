// Asks AWS what `tenon adopt` judges: the policies of Karpenter's role, and the interruption queue. It only reads, with
// the credentials and the region of the environment.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "adopt/cloud.h"
#include "aws/client.h"
#include "aws/environment.h"
#include "runtime/runtime.h"

namespace tenon::cli {

// Sends nothing if `names` is empty. Sets `not_asked` to the cause if there is no region or there are no credentials.
adopt::CloudAnswers ask_aws(runtime::Runtime& runtime, const aws::Environment& environment,
                            const adopt::CloudNames& names, const std::stop_token& stop);

// The same with a client.
adopt::CloudAnswers ask_aws(aws::Client& client, const adopt::CloudNames& names, const std::stop_token& stop);

}  // namespace tenon::cli
