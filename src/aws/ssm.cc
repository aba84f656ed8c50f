// SPDX-License-Identifier: Apache-2.0
#include "aws/ssm.h"

#include "aws/json_protocol.h"
#include "json/json.h"

namespace tenon::aws {

Result<std::string> Ssm::get_parameter(const std::string& name, const std::stop_token& stop) {
  const json::value input = json::object{{"Name", name}};
  const json::value answer =
      TRY_IN("parameter " + name, call_json(client_, {kSsm, "AmazonSSM", "GetParameter"}, input, stop));
  return std::string(json::string_at(answer, {"Parameter", "Value"}));
}

}  // namespace tenon::aws
