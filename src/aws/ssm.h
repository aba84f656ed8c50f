// Systems Manager parameters. Wire: JSON 1.1.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string>

#include "aws/client.h"

namespace tenon::aws {

// Thread rule: any thread.
class Ssm {
 public:
  explicit Ssm(Client& client) : client_(client) {}
  // The value of a parameter, by name, path or ARN. Errors: kNotFound, and those of Client::call.
  Result<std::string> get_parameter(const std::string& name, const std::stop_token& stop);

 private:
  Client& client_;
};

}  // namespace tenon::aws
