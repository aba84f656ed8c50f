// Replays one recording on our API server: the requests of kubectl in their order, each answer compared.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "recorded/differences.h"

namespace tenon::recorded {

struct Outcome {
  std::vector<std::string> commands;    // of kubectl, as typed
  int requests = 0;                     // that were compared
  std::vector<std::string> complaints;  // differences that are not allowed, as text
};

// Errors: kInvalid: the file is not a recording.
Result<Outcome> replay(const std::string& file, Differences& differences);

}  // namespace tenon::recorded
