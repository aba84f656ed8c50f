// Calls the fake AWS as any client does: builds requests of the real shapes, signs them with a signer of its own, and
// reads the answer. For tests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/handler.h"
#include "runtime/runtime.h"

namespace tenon::awssim::testing {

using Form = std::vector<std::pair<std::string, std::string>>;

struct Answer {
  int status = 0;
  std::string body;
  http::Headers headers;
  // Nodes of the XML answer that an XPath matches, without namespaces: "//subnetId". first: empty if nothing matches.
  std::vector<std::string> all(const std::string& xpath) const;
  std::string first(const std::string& xpath) const;
  std::string error_code() const;  // of XML and JSON errors; empty for an answer without one
};

class Caller {
 public:
  Caller(http::Handler& handler, runtime::Runtime& runtime) : handler_(handler), runtime_(runtime) {}

  std::string access_key_id = "AKIDEXAMPLE", secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", region = "us-east-1";
  bool sign = true;
  Duration clock_offset{};  // of the caller's clock

  Answer ec2(const std::string& action, Form form = {});
  Answer iam(const std::string& action, Form form = {});
  Answer sts(const std::string& action, Form form = {});
  // target: "AmazonSSM.GetParameter".
  Answer json(const std::string& service, const std::string& target, const std::string& body);
  Answer get(const std::string& service, const std::string& path);

  Answer send(http::ServerRequest request, const std::string& service);

 private:
  void add_signature(http::ServerRequest& request, const std::string& service) const;
  Answer query(const std::string& service, const std::string& version, const std::string& action, Form form);

  http::Handler& handler_;
  runtime::Runtime& runtime_;
};

// "Filter.1.Name" and its values, for appending to a form.
Form filter(int n, const std::string& name, const std::vector<std::string>& values);
Form operator+(Form a, const Form& b);

}  // namespace tenon::awssim::testing
