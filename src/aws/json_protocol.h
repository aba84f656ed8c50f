// The JSON protocols: JSON 1.0 and 1.1 (SQS; SSM, Pricing: an X-Amz-Target header) and REST-JSON (EKS: method and
// path).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <stop_token>
#include <string>
#include <string_view>

#include "aws/client.h"

namespace tenon::aws {

struct JsonTarget {
  const Service& service;
  std::string prefix;  // "AmazonSSM", "AWSPriceListService"
  std::string action;  // "GetParameter"
  std::string_view version = "1.1";
};
// Errors: those of Client::call; kInternal if the answer is not JSON.
Result<boost::json::value> call_json(Client& client, const JsonTarget& target, const boost::json::value& input,
                                     const std::stop_token& stop);

struct RestTarget {
  const Service& service;
  std::string action, method, path;  // path: encoded
  std::string query = {};            // encoded
  http::Headers headers = {};
  std::string body = {};
  bool anonymous = false;  // not signed
};
Result<boost::json::value> call_rest(Client& client, const RestTarget& target, const std::stop_token& stop);

// Takes the code from the header x-amzn-errortype or the body's __type (or code), without namespace and the part after
// ':'.
ServiceError read_json_error(const http::Response& response);

}  // namespace tenon::aws
