// Error: an error as a value. A code exists only if some caller acts differently on it; everything else is in the
// message. `message` is for people: it names the object, the field and the cause.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/instant.h"

namespace tenon {

enum class Code {
  kNotFound,              // the object does not exist, or does not exist any more
  kAlreadyExists,         // an object of that name exists already
  kConflict,              // a precondition (resourceVersion, uid) did not hold: read again, retry
  kGone,                  // the watch window was compacted (HTTP 410): list again
  kInvalid,               // the input is wrong: retrying cannot help
  kForbidden,             // credentials are missing, wrong or not sufficient
  kThrottled,             // too many requests: back off, see retry_after
  kUnavailable,           // the server is unreachable or failed: retry with back-off
  kTimeout,               // the deadline passed
  kInsufficientCapacity,  // EC2 has no capacity for this offering now: mark it, try another
  kQuota,                 // an account limit: retrying soon cannot help
  kCancelled,             // this process is stopping
  kInternal,              // a bug of ours, or of a library
};

std::string_view to_string(Code code);

struct Error {
  Code code = Code::kInternal;
  std::string message;
  std::optional<Duration> retry_after = std::nullopt;

  // Returns the same error with the caller's context before its message: "reading a.yaml: document 2: …".
  Error in(std::string_view context) const;
};

}  // namespace tenon
