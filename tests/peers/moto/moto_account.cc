// SPDX-License-Identifier: Apache-2.0
#include "moto/moto_account.h"

#include <cstdlib>

#include "base/check.h"

namespace tenon::peers {
namespace {

std::unique_ptr<aws::CredentialsProvider> from_the_environment(http::Transport& transport, runtime::Runtime& runtime) {
  auto found =
      aws::make_default_credentials(
          {transport, transport, runtime, aws::process_environment(), environment_value("AWS_REGION")});
  CHECK(found.has_value());
  return *std::move(found);
}

}  // namespace

std::string environment_value(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  CHECK(value != nullptr, name);
  return value;
}

MotoTest::MotoTest()
    : runtime_(runtime::make_live_runtime()),
      transport_(http::make_curl_transport()),
      credentials_(from_the_environment(*transport_, *runtime_)),
      client_(client_with(*transport_, *credentials_)) {
  check_signatures(true);
}

MotoTest::~MotoTest() { check_signatures(false); }

void MotoTest::check_signatures(bool on) const {
  http::Request request;
  request.method = "POST";
  request.url = environment_value("AWS_ENDPOINT_URL") + "/moto-api/reset-auth";
  request.body = on ? "0" : "inf";  // the number of calls that are not judged
  const auto response = transport_->send(request, stop_);
  EXPECT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 200) << response->body;
}

std::unique_ptr<aws::Client> MotoTest::client_with(http::Transport& transport,
                                                   aws::CredentialsProvider& credentials) const {
  return std::make_unique<aws::Client>(aws::Client::Context{transport, *runtime_, credentials},
                                       aws::Client::Options{.region = environment_value("AWS_REGION")});
}

}  // namespace tenon::peers
