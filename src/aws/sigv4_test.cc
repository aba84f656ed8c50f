// Signatures against AWS's published Signature Version 4 test suite (the first eight and the token case), and against
// botocore for what the suite lacks.
// SPDX-License-Identifier: Apache-2.0
#include "aws/sigv4.h"

#include <gtest/gtest.h>

namespace tenon::aws {
namespace {

const Instant kWhen = *parse_rfc3339("2015-08-30T12:36:00Z");
const Credentials kKeys{"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", ""};

struct Vector {
  std::string name, method, url;
  http::Headers headers;
  std::string body, signed_headers, signature;
};

const Vector kVectors[] = {
    {"get-vanilla",
     "GET",
     "https://example.amazonaws.com/",
     {},
     "",
     "host;x-amz-date",
     "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
    {"get-vanilla-query-order-key-case",
     "GET",
     "https://example.amazonaws.com/?Param2=value2&Param1=value1",
     {},
     "",
     "host;x-amz-date",
     "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"},
    {"get-unreserved",
     "GET",
     "https://example.amazonaws.com/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
     {},
     "",
     "host;x-amz-date",
     "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"},
    {"get-relative",
     "GET",
     "https://example.amazonaws.com/example1/example2/../..",
     {},
     "",
     "host;x-amz-date",
     "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
    {"get-slashes",
     "GET",
     "https://example.amazonaws.com//example//",
     {},
     "",
     "host;x-amz-date",
     "9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84"},
    {"get-header-value-trim",
     "GET",
     "https://example.amazonaws.com/",
     {{"My-Header1", " value1"}, {"My-Header2", " \"a   b   c\""}},
     "",
     "host;my-header1;my-header2;x-amz-date",
     "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"},
    {"post-x-www-form-urlencoded-parameters",
     "POST",
     "https://example.amazonaws.com/",
     {{"Content-Type", "application/x-www-form-urlencoded; charset=utf8"}},
     "Param1=value1",
     "content-type;host;x-amz-date",
     "1a72ec8f64bd914b0e42e42607c7fbce7fb2c7465f63e3092b3b0d39fa77a6fe"},
    {"an ARN in the path",
     "GET",
     "https://eks.us-east-1.amazonaws.com/tags/arn%3Aaws%3Aeks%3Aus-east-1%3A1%3Acluster%2Fa",
     {},
     "",
     "host;x-amz-date",
     "8de222e4c7b1de6eaf35fa6e50094d319a8e1cc6f18961a94ddc17816ae14901"},
    {"one key is the prefix of another",
     "GET",
     "https://example.amazonaws.com/?id-type=1&id=2&id=1",
     {},
     "",
     "host;x-amz-date",
     "cfa46a3b3820e35b30c1c43284c8b98083a9a6afce325aa2a3a72e86900621c7"},
    {"a port",
     "POST",
     "http://127.0.0.1:4566/",
     {},
     "a",
     "host;x-amz-date",
     "2791f0ec5150a72d3d20aaae15b9aebffe02e473b4ddaa5526715f9fdf6bc23b"},
};

http::Request request_of(const Vector& vector) {
  http::Request request;
  request.method = vector.method;
  request.url = vector.url;
  request.headers = vector.headers;
  request.body = vector.body;
  return request;
}

TEST(SigV4, SignsTheTestSuite) {
  for (const Vector& vector : kVectors) {
    http::Request request = request_of(vector);
    sign(request, kKeys, {"us-east-1", "service"}, kWhen);
    EXPECT_EQ(request.headers.get("Authorization"),
              "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=" +
                  vector.signed_headers + ", Signature=" + vector.signature)
        << vector.name << "\n"
        << canonical_request(request);
    EXPECT_EQ(request.headers.get("X-Amz-Date"), "20150830T123600Z");
    EXPECT_FALSE(request.headers.has("X-Amz-Security-Token"));
  }
}

TEST(SigV4, SigningTwiceIsSigningOnce) {
  http::Request once = request_of(kVectors[0]);
  sign(once, kKeys, {"us-east-1", "service"}, kWhen);
  http::Request twice = request_of(kVectors[0]);
  sign(twice, {"AKIDOTHER", "other", ""}, {"eu-west-1", "ec2"}, kWhen + 1h);
  sign(twice, kKeys, {"us-east-1", "service"}, kWhen);
  EXPECT_EQ(twice.headers.get("Authorization"), once.headers.get("Authorization"));
}

TEST(SigV4, SignsTheSessionToken) {
  http::Request request;
  request.method = "POST";
  request.url = "https://sts.amazonaws.com/";
  request.headers.set("Content-Type", "application/x-www-form-urlencoded; charset=utf8");
  request.body = "Param1=value1";
  const std::string token =
      "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuw"
      "thAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHN"
      "VXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLx"
      "BA==";
  sign(request, {kKeys.access_key_id, kKeys.secret_access_key, token}, {"us-east-1", "service"}, kWhen);
  EXPECT_EQ(request.headers.get("X-Amz-Security-Token"), token);
  EXPECT_EQ(request.headers.get("Authorization"),
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
            "SignedHeaders=content-type;host;x-amz-date;x-amz-security-token, "
            "Signature=ddb63040996948b2109aef519081eac15b549c2187df3ea6842da44d3e4c378b");
}

TEST(SigV4, CanonicalQueryIsDecodedEncodedAndSorted) {
  const std::pair<std::string, std::string> cases[] = {
      {"b=2&a=1", "a=1&b=2"},
      {"a=b&a=a", "a=a&a=b"},
      {"x=%2f", "x=%2F"},           // lower-case escapes
      {"x=/:", "x=%2F%3A"},         // raw reserved characters
      {"x=a+b", "x=a%2Bb"},         // a plus is a plus
      {"lifecycle", "lifecycle="},  // a key without a value
      {"a=x=y", "a=x%3Dy"},
      {"x=%zz", "x=%25zz"},  // no escape at all
      {"&a=1&", "a=1"},
      {"", ""},
  };
  for (const auto& [query, expected] : cases) {
    http::Request request;
    request.url = "https://example.amazonaws.com/?" + query;
    const std::string text = canonical_request(request);
    EXPECT_EQ(text.substr(0, text.find("\nhost:")), "GET\n/\n" + expected) << query;
  }
}

TEST(SigV4, DefaultPortsAndHopHeadersAreNotSigned) {
  http::Request request;
  request.url = "https://example.amazonaws.com:443/";
  request.headers = {{"User-Agent", "x"}, {"Expect", ""}, {"X-B", "1"}, {"x-b", "2  3"}};
  const std::string text = canonical_request(request);
  EXPECT_NE(text.find("host:example.amazonaws.com\nx-b:1,2 3\n\nhost;x-b\n"), std::string::npos) << text;
}

TEST(SigV4, Presigns) {
  http::Request request;
  request.url = "https://sts.us-east-1.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15";
  request.headers.set("x-k8s-aws-id", "demo");
  EXPECT_EQ(presign(request, kKeys, {"us-east-1", "sts"}, {.now = kWhen, .expires = 60s}),
            "https://sts.us-east-1.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15"
            "&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIDEXAMPLE%2F20150830%2Fus-east-1%2Fsts%2Faws4_request"
            "&X-Amz-Date=20150830T123600Z&X-Amz-Expires=60&X-Amz-SignedHeaders=host%3Bx-k8s-aws-id"
            "&X-Amz-Signature=fb9423f206ba3d23c0a8d9893dacddc44d41346a301fa87a31cded9058c6e4c1");
}

TEST(SigV4, PresignsWithASessionToken) {
  http::Request request;
  request.url = "https://sts.us-east-1.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15";
  request.headers.set("x-k8s-aws-id", "demo");
  const std::string url = presign(request, {kKeys.access_key_id, kKeys.secret_access_key, "to/ken+=="},
                                  {"us-east-1", "sts"}, {.now = kWhen, .expires = 60s});
  EXPECT_NE(url.find("X-Amz-Security-Token=to%2Fken%2B%3D%3D"), std::string::npos) << url;
  EXPECT_TRUE(url.ends_with("X-Amz-Signature=b007993e62c7dedcafaaef94d332bab857d0b2c5dfce72e6029cfd81258a7630")) << url;
}

}  // namespace
}  // namespace tenon::aws
