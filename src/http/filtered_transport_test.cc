// SPDX-License-Identifier: Apache-2.0
#include "http/filtered_transport.h"

#include <gtest/gtest.h>

namespace tenon::http {
namespace {

struct Counting : Transport {
  explicit Counting(int& counter) : requests(counter) {}
  Result<Response> send(const Request&, const std::stop_token&) override {
    ++requests;
    return Response{200, {}, ""};
  }
  Status stream(const Request&, StreamSink& sink, const std::stop_token&) override {
    ++requests;
    sink.on_head(200, {});
    return ok();
  }
  int& requests;
};

struct Ignore : StreamSink {
  bool on_head(int, const Headers&) override { return true; }
  bool on_data(std::string_view) override { return true; }
};

TEST(FilteredTransport, SendsOnlyWhatTheRuleAdmits) {
  int requests = 0;
  const auto transport =
      make_filtered_transport(std::make_unique<Counting>(requests), [](const Request& request) -> Status {
        if (request.method == "GET") return ok();
        return fail(Code::kForbidden, request.method + " " + request.url);
      });
  Ignore sink;
  EXPECT_TRUE(transport->send({.url = "http://api/"}, {}));
  EXPECT_TRUE(transport->stream({.url = "http://api/"}, sink, {}));
  EXPECT_EQ(requests, 2);
  const auto refused = transport->send({.method = "POST", .url = "http://api/"}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kForbidden);
  EXPECT_EQ(refused.error().message, "not sent: POST http://api/");
  EXPECT_EQ(transport->stream({.method = "POST", .url = "http://api/"}, sink, {}).error().code, Code::kForbidden);
  EXPECT_EQ(requests, 2);
}

}  // namespace
}  // namespace tenon::http
