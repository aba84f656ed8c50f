// What AWS error codes mean to us, and the one form in which they become an Error.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace tenon::aws {

// The class of an error code ("InsufficientInstanceCapacity"); unknown codes go by the HTTP status (0: not known).
// parity: provider-aws pkg/errors/errors.go
Code classify(std::string_view aws_code, int http_status = 0);

// The request was refused because it came too fast. Such calls are repeated; so are those of is_transient.
bool is_throttling(std::string_view aws_code);
bool is_transient(std::string_view aws_code, int http_status);
// The signature was refused in a way that a wrong clock explains.
bool may_be_clock_skew(std::string_view aws_code);

// An error answer, read out of its body and headers.
struct ServiceError {
  std::string code, message, request_id;
};

// "ec2 CreateFleet: RequestLimitExceeded: Request limit exceeded. (request 4f3a…)". The code of AWS is in the text;
// mentions() finds it.
Error to_error(std::string_view operation, const ServiceError& error, int http_status);
bool mentions(const Error& error, std::string_view aws_code);
// The same without the request's id: for what must read alike each time, as a condition's message must.
std::string without_request(const std::string& message);

}  // namespace tenon::aws
