// Signs the requests of standard input, one JSON object a line, and prints the result of each, one JSON object a line:
// {"headers": {…}} or, for {"expires": seconds}, {"url": …}. tests/peers/sigv4_requests.py compares with botocore.
// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "aws/sigv4.h"
#include "base/check.h"
#include "json/json.h"

namespace tenon::peers {
namespace {

std::string sign_line(const json::value& line) {
  const auto text = [&](std::string_view key) { return std::string(json::string_at(line, {key})); };
  http::Request request;
  request.method = text("method");
  request.url = text("url");
  request.body = text("body");
  for (const json::value& header : json::array_at(line, {"headers"})) {
    request.headers.add(std::string(header.as_array()[0].as_string()), std::string(header.as_array()[1].as_string()));
  }
  const aws::Credentials credentials{text("access"), text("secret"), text("token")};
  const aws::SigningScope scope{text("region"), text("service")};
  const auto now = parse_rfc3339(text("time"));
  CHECK(now.has_value());
  const int64_t expires = json::int_at(line, {"expires"}, 0);
  json::object out;
  if (expires > 0) {
    out["url"] = aws::presign(request, credentials, scope, {*now, Duration(expires * 1s)});
  } else {
    aws::sign(request, credentials, scope, *now);
    json::object headers;
    for (const auto& [name, value] : request.headers.entries()) headers[name] = value;
    out["headers"] = headers;
  }
  return json::to_string(out);
}

}  // namespace
}  // namespace tenon::peers

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto parsed = tenon::json::parse(line);
    CHECK(parsed.has_value());
    std::cout << tenon::peers::sign_line(*parsed) << "\n";
  }
  return 0;
}
