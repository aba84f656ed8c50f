// Maps AWS error codes to Code, and builds an Error from them in one form.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace tenon::aws {

// Returns the class of an error code ("InsufficientInstanceCapacity"); unknown codes map by HTTP status (0: unknown).
// parity: provider-aws pkg/errors/errors.go
Code classify(std::string_view aws_code, int http_status = 0);

// The request was throttled. Such calls are retried, and so are those of is_transient.
bool is_throttling(std::string_view aws_code);
bool is_transient(std::string_view aws_code, int http_status);
// A wrong clock may be the cause of the rejected signature.
bool may_be_clock_skew(std::string_view aws_code);

// An error response: the fields of its body and headers.
struct ServiceError {
  std::string code, message, request_id;
};

// Returns "ec2 CreateFleet: RequestLimitExceeded: Request limit exceeded. (request 4f3a…)". The text contains the AWS
// code, which mentions() finds.
Error to_error(std::string_view operation, const ServiceError& error, int http_status);
bool mentions(const Error& error, std::string_view aws_code);
// Removes the request id: for texts that must not vary, such as a condition's message.
std::string without_request(const std::string& message);

}  // namespace tenon::aws
