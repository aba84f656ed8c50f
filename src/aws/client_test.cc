// SPDX-License-Identifier: Apache-2.0
#include "aws/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aws/json_protocol.h"
#include "aws/query_protocol.h"
#include "aws/testing/canned.h"
#include "json/json.h"

namespace tenon::aws {
namespace {

using testing::CannedClient;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string ec2_error(const std::string& code) {
  return "<Response><Errors><Error><Code>" + code + "</Code><Message>why</Message></Error></Errors>" +
         "<RequestID>r-1</RequestID></Response>";
}

Result<XmlReply> ask(CannedClient& canned, const std::stop_token& stop = {}) {
  return query(canned.client, kEc2, Form("DescribeVpcs", "2016-11-15"), stop);
}

TEST(Client, SendsASignedForm) {
  CannedClient canned;
  canned.transport.answer(200, "<DescribeVpcsResponse/>");
  ASSERT_TRUE(ask(canned));
  const http::Request& sent = canned.transport.requests.at(0);
  EXPECT_EQ(sent.method, "POST");
  EXPECT_EQ(sent.url, "https://ec2.us-east-1.amazonaws.com/");
  EXPECT_EQ(sent.body, "Action=DescribeVpcs&Version=2016-11-15");
  EXPECT_EQ(sent.headers.get("X-Amz-Date"), "20260901T120000Z");
  EXPECT_THAT(std::string(sent.headers.get("Authorization")),
              HasSubstr("Credential=AKIDEXAMPLE/20260901/us-east-1/ec2/aws4_request"));
  EXPECT_EQ(sent.headers.get("User-Agent"), "tenon-test");
}

TEST(Client, RepeatsWhatIsWorthRepeating) {
  struct Case {
    std::string code;
    int status;
    bool repeated;
  };
  const Case cases[] = {
      {"RequestLimitExceeded", 503, true},
      {"Throttling", 400, true},
      {"InternalError", 500, true},
      {"", 502, true},
      {"RequestTimeout", 400, true},
      {"Unheard.Of", 500, true},
      {"UnauthorizedOperation", 403, false},
      {"InvalidParameterValue", 400, false},
      {"InsufficientInstanceCapacity", 503, false},
  };
  for (const Case& c : cases) {
    CannedClient canned;
    canned.transport.answer(c.status, ec2_error(c.code)).answer(200, "<DescribeVpcsResponse/>");
    EXPECT_EQ(ask(canned).has_value(), c.repeated) << c.code;
    EXPECT_EQ(canned.transport.requests.size(), c.repeated ? 2u : 1u) << c.code;
  }
}

TEST(Client, GivesUpAfterThreeAttemptsWithBackoff) {
  CannedClient canned;
  for (int i = 0; i < 5; ++i) canned.transport.answer(503, ec2_error("RequestLimitExceeded"));
  const auto result = ask(canned);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::kThrottled);
  EXPECT_EQ(result.error().message, "ec2 DescribeVpcs: RequestLimitExceeded: why (request r-1)");
  EXPECT_EQ(canned.transport.requests.size(), 3u);
  ASSERT_EQ(canned.runtime.sleeps.size(), 2u);
  EXPECT_LE(canned.runtime.sleeps[0], 1s);
  EXPECT_LE(canned.runtime.sleeps[1], 2s);
}

TEST(Client, RepeatsLostConnectionsAndReportsTheLast) {
  CannedClient canned;
  canned.transport.fail_with({Code::kUnavailable, "connection refused"}).fail_with({Code::kTimeout, "no answer"});
  canned.transport.fail_with({Code::kUnavailable, "ec2.us-east-1.amazonaws.com: connection reset"});
  const auto result = ask(canned);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "ec2 DescribeVpcs: ec2.us-east-1.amazonaws.com: connection reset");
  EXPECT_EQ(canned.transport.requests.size(), 3u);
}

TEST(Client, StopsRepeatingWhenTheBudgetIsSpent) {
  CannedClient canned;
  canned.transport.fallback = [](const http::Request&) -> Result<http::Response> {
    return http::Response{503, {}, ec2_error("RequestLimitExceeded")};
  };
  constexpr size_t kCalls = 100;
  for (size_t i = 0; i < kCalls; ++i) EXPECT_FALSE(ask(canned));
  EXPECT_EQ(canned.transport.requests.size(), kCalls + (kRetryTokens - kKeptForLaunches) / kRetryCost);
  EXPECT_EQ(canned.client.retry_tokens_left(), kKeptForLaunches);
  const size_t before = canned.transport.requests.size();  // the rest is reserved for launches
  EXPECT_FALSE(query(canned.client, kEc2, Form("CreateFleet", "2016-11-15"), {}));
  EXPECT_EQ(canned.transport.requests.size(), before + kMaxAttempts);
  const int left = kKeptForLaunches - 2 * kRetryCost;
  EXPECT_EQ(canned.client.retry_tokens_left(), left);
  canned.transport.fallback = [](const http::Request&) -> Result<http::Response> {
    return http::Response{200, {}, "<R/>"};
  };
  EXPECT_TRUE(ask(canned));
  EXPECT_EQ(canned.client.retry_tokens_left(), left + kSuccessRefund);
}

TEST(Client, RetryModesDiffer) {
  struct Case {
    RetryPolicy policy;
    size_t attempts, of_many;  // of one call, and of a hundred
  };
  constexpr size_t kCalls = 100;
  const Case cases[] = {
      {{RetryMode::kStandard, 3}, 3, kCalls + (kRetryTokens - kKeptForLaunches) / kRetryCost},
      {{RetryMode::kStandard, 1}, 1, kCalls},
      {{RetryMode::kLegacy, kLegacyMaxAttempts}, 5, 5 * kCalls},
      {{RetryMode::kAdaptive, 3}, 3, kCalls + (kRetryTokens - kKeptForLaunches) / kRetryCost},
  };
  for (const Case& c : cases) {
    CannedClient canned;
    Client client({canned.transport, canned.runtime, *canned.credentials},
                  {.region = "us-east-1",
                   .environment = [](const std::string&) { return std::string(); },
                   .retry = c.policy,
                   .observer = {}});
    canned.transport.fallback = [](const http::Request&) -> Result<http::Response> {
      return http::Response{503, {}, ec2_error("RequestLimitExceeded")};
    };
    EXPECT_FALSE(query(client, kEc2, Form("DescribeVpcs", "2016-11-15"), {}));
    EXPECT_EQ(canned.transport.requests.size(), c.attempts);
    for (size_t i = 1; i < kCalls; ++i) EXPECT_FALSE(query(client, kEc2, Form("DescribeVpcs", "2016-11-15"), {}));
    EXPECT_EQ(canned.transport.requests.size(), c.of_many);
  }
}

TEST(Client, AdaptiveHoldsBackWhatWouldBeRefused) {
  CannedClient canned;
  Client client({canned.transport, canned.runtime, *canned.credentials},
                {.region = "us-east-1",
                 .environment = [](const std::string&) { return std::string(); },
                 .retry = {RetryMode::kAdaptive, 1},
                 .observer = {}});
  canned.transport.answer(503, ec2_error("RequestLimitExceeded"));
  canned.transport.fallback = [](const http::Request&) -> Result<http::Response> {
    return http::Response{200, {}, "<R/>"};
  };
  EXPECT_FALSE(query(client, kEc2, Form("DescribeVpcs", "2016-11-15"), {}));
  EXPECT_TRUE(canned.runtime.sleeps.empty());
  EXPECT_TRUE(query(client, kEc2, Form("DescribeVpcs", "2016-11-15"), {}));
  EXPECT_FALSE(canned.runtime.sleeps.empty());
  const size_t slept = canned.runtime.sleeps.size();  // another service has a rate of its own
  EXPECT_TRUE(query(client, kIam, Form("GetRole", "2010-05-08"), {}));
  EXPECT_EQ(canned.runtime.sleeps.size(), slept);
}

TEST(Client, HonoursRetryAfter) {
  CannedClient canned;
  canned.transport.answer(503, ec2_error("RequestLimitExceeded"), {{"Retry-After", "7"}}).answer(200, "<R/>");
  ASSERT_TRUE(ask(canned));
  EXPECT_THAT(canned.runtime.sleeps, ElementsAre(Duration(7s)));
}

TEST(Client, CorrectsItsClockOnce) {
  CannedClient canned;
  const http::Headers an_hour_ahead{{"Date", "Tue, 01 Sep 2026 13:00:00 GMT"}};
  canned.transport.answer(403, ec2_error("RequestTimeTooSkewed"), an_hour_ahead).answer(200, "<R/>");
  ASSERT_TRUE(ask(canned));
  EXPECT_THAT(std::string(canned.transport.requests.at(1).headers.get("X-Amz-Date")), HasSubstr("20260901T1300"));
  // A wrong secret gives the same answer, with a correct clock: no second attempt.
  canned.transport.answer(403, ec2_error("SignatureDoesNotMatch"), an_hour_ahead);
  EXPECT_FALSE(ask(canned));
  EXPECT_EQ(canned.transport.requests.size(), 3u);
}

TEST(Client, StopEndsTheWait) {
  CannedClient canned;
  std::stop_source source;
  canned.transport.fallback = [&](const http::Request&) -> Result<http::Response> {
    source.request_stop();
    return http::Response{503, {}, ec2_error("RequestLimitExceeded")};
  };
  EXPECT_FALSE(ask(canned, source.get_token()));
  EXPECT_EQ(canned.transport.requests.size(), 1u);
  EXPECT_TRUE(canned.runtime.sleeps.empty());
}

TEST(Client, TellsTheObserverOfEveryAttempt) {
  CannedClient canned;
  std::vector<std::string> seen;
  Client client({canned.transport, canned.runtime, *canned.credentials},
                {.region = "us-east-1",
                 .environment = [](const std::string&) { return std::string(); },
                 .user_agent = "t",
                 .observer =
                     [&](const Attempt& a) {
                       seen.push_back(std::string(a.action) + " " + std::string(a.outcome) + " " +
                                      std::to_string(a.number) + (a.last ? " last" : ""));
                     }});
  canned.transport.answer(503, ec2_error("RequestLimitExceeded")).answer(200, "<R/>");
  ASSERT_TRUE(query(client, kEc2, Form("DescribeVpcs", "2016-11-15"), {}));
  EXPECT_THAT(seen, ElementsAre("DescribeVpcs RequestLimitExceeded 1", "DescribeVpcs  2 last"));
}

TEST(Client, RefusesAnEndpointThatIsNoUrl) {
  CannedClient canned;
  Client client({canned.transport, canned.runtime, *canned.credentials},
                {.region = "us-east-1",
                 .environment = [](const std::string& name) { return name == "AWS_ENDPOINT_URL" ? "localhost:1" : ""; },
                 .user_agent = "t",
                 .observer = {}});
  const auto result = query(client, kEc2, Form("DescribeVpcs", "2016-11-15"), {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::kInvalid);
  EXPECT_THAT(result.error().message, HasSubstr("'localhost:1' (AWS_ENDPOINT_URL)"));
  EXPECT_TRUE(canned.transport.requests.empty());
}

TEST(Client, ReadsErrorsOfEveryProtocol) {
  const http::Response iam{404,
                           {},
                           "<ErrorResponse xmlns=\"https://iam.amazonaws.com/doc/2010-05-08/\"><Error><Type>Sender"
                           "</Type><Code>NoSuchEntity</Code><Message>gone</Message></Error><RequestId>r-2"
                           "</RequestId></ErrorResponse>"};
  EXPECT_EQ(read_xml_error(iam).code, "NoSuchEntity");
  EXPECT_EQ(read_xml_error(iam).request_id, "r-2");
  const http::Response ssm{400, {}, R"({"__type":"com.amazonaws.ssm#ParameterNotFound","message":"no"})"};
  EXPECT_EQ(read_json_error(ssm).code, "ParameterNotFound");
  EXPECT_EQ(read_json_error(ssm).message, "no");
  const http::Response eks{404, {{"x-amzn-ErrorType", "ResourceNotFoundException:http://x"}}, R"({"message":"none"})"};
  EXPECT_EQ(read_json_error(eks).code, "ResourceNotFoundException");
  EXPECT_EQ(read_xml_error({502, {}, "<html>bad gateway"}).code, "");
  EXPECT_EQ(read_json_error({502, {}, "bad gateway"}).code, "");
}

TEST(Client, AnAnswerInAnotherLanguageIsAnError) {
  CannedClient canned;
  canned.transport.answer(200, "");
  const auto xml = ask(canned);
  ASSERT_FALSE(xml);
  EXPECT_EQ(xml.error().code, Code::kInternal);
  canned.transport.answer(200, "<xml/>");
  const auto js = call_json(canned.client, {kSsm, "AmazonSSM", "GetParameter"}, json::object{}, {});
  ASSERT_FALSE(js);
  EXPECT_THAT(js.error().message, HasSubstr("ssm GetParameter: the answer is not JSON"));
}

TEST(Client, MakesTokensThatDiffer) {
  CannedClient canned;
  const std::string a = canned.client.make_token();
  EXPECT_EQ(a.size(), 36u);
  EXPECT_EQ(a[14], '4');
  EXPECT_NE(a, canned.client.make_token());
}

TEST(Client, ParsesHttpDates) {
  EXPECT_EQ(format_rfc3339(*parse_http_date("Tue, 15 Nov 2022 12:45:26 GMT")), "2022-11-15T12:45:26Z");
  EXPECT_FALSE(parse_http_date("Tue, 15 Nov 2022 12:45:26 CET"));
  EXPECT_FALSE(parse_http_date("Tue, 15 Foo 2022 12:45:26 GMT"));
  EXPECT_FALSE(parse_http_date(""));
}

TEST(Retry, ThePolicyIsThatOfTheEnvironment) {
  const auto policy = [](const std::string& mode, const std::string& attempts) {
    return retry_policy([=](const std::string& name) { return name == "AWS_RETRY_MODE" ? mode : attempts; });
  };
  EXPECT_EQ(policy("", "")->mode, RetryMode::kStandard);
  EXPECT_EQ(policy("", "")->max_attempts, 3);
  EXPECT_EQ(policy("Adaptive", "")->max_attempts, 3);
  EXPECT_EQ(policy("legacy", "")->max_attempts, 5);
  EXPECT_EQ(policy("legacy", "2")->max_attempts, 2);
  EXPECT_THAT(policy("patient", "").error().message, HasSubstr("AWS_RETRY_MODE: 'patient'"));
  for (const char* wrong : {"0", "-1", "many", "3x"}) {
    EXPECT_THAT(policy("", wrong).error().message, HasSubstr("AWS_MAX_ATTEMPTS"));
  }
}

TEST(Retry, BackoffGrowsToItsCeiling) {
  EXPECT_EQ(backoff(1, 0), Duration(0));
  EXPECT_LE(backoff(1, ~uint64_t{0}), 1s);
  for (const int attempt : {6, 60}) EXPECT_LE(backoff(attempt, ~uint64_t{0}), kMaxBackoff);
  EXPECT_EQ(backoff(3, uint64_t{3'500'000'000}), Duration(3500ms));
}

}  // namespace
}  // namespace tenon::aws
