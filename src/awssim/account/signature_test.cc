// SPDX-License-Identifier: Apache-2.0
#include "awssim/account/signature.h"

#include <gtest/gtest.h>

namespace tenon::awssim {
namespace {

constexpr std::string_view kSecret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

// The published test suite of the algorithm: key AKIDEXAMPLE, 2015-08-30T12:36:00Z, us-east-1, service "service".
struct Vector {
  const char* name;
  const char* method;
  const char* query;
  const char* content_type;
  const char* body;
  const char* signature;
};
const Vector kVectors[] = {
    {"get-vanilla", "GET", "", "", "", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
    {"get-vanilla-query-order-key-case", "GET", "Param2=value2&Param1=value1", "", "",
     "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"},
    {"post-x-www-form-urlencoded", "POST", "", "application/x-www-form-urlencoded", "Param1=value1",
     "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"}};

http::ServerRequest request_of(const Vector& v) {
  http::ServerRequest request{
      .method = v.method, .host = "example.amazonaws.com", .raw_path = "/", .raw_query = v.query, .body = v.body};
  std::string names = "host;x-amz-date";
  if (*v.content_type) {
    request.headers.add("Content-Type", v.content_type);
    names = "content-type;" + names;
  }
  request.headers.add("X-Amz-Date", "20150830T123600Z");
  request.headers.add(
      "Authorization",
      "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=" + names +
          ", Signature=" + v.signature);
  return request;
}

SignatureKeys keys_at(std::string_view time) { return {"AKIDEXAMPLE", kSecret, "us-east-1", *parse_rfc3339(time)}; }

TEST(Signature, AcceptsThePublishedVectors) {
  for (const Vector& v : kVectors)
    EXPECT_EQ(check_signature(request_of(v), keys_at("2015-08-30T12:36:10Z")), SignatureVerdict::kGood) << v.name;
}

TEST(Signature, RefusesWhatWasChanged) {
  auto now = keys_at("2015-08-30T12:36:10Z");
  http::ServerRequest request = request_of(kVectors[2]);
  request.body = "Param1=value2";
  EXPECT_EQ(check_signature(request, now), SignatureVerdict::kMismatch);
  request = request_of(kVectors[1]);
  request.raw_query += "&Param3=x";
  EXPECT_EQ(check_signature(request, now), SignatureVerdict::kMismatch);
  request = request_of(kVectors[0]);
  request.host = "other.amazonaws.com";
  EXPECT_EQ(check_signature(request, now), SignatureVerdict::kMismatch);
  request = request_of(kVectors[0]);
  request.method = "DELETE";
  EXPECT_EQ(check_signature(request, now), SignatureVerdict::kMismatch);
  auto wrong_secret = now;
  wrong_secret.secret_access_key = "other";
  EXPECT_EQ(check_signature(request_of(kVectors[0]), wrong_secret), SignatureVerdict::kMismatch);
}

TEST(Signature, RefusesUnknownKeysOtherRegionsAndTokens) {
  auto keys = keys_at("2015-08-30T12:36:10Z");
  keys.access_key_id = "AKIDOTHER";
  EXPECT_EQ(check_signature(request_of(kVectors[0]), keys), SignatureVerdict::kUnknownKey);
  keys = keys_at("2015-08-30T12:36:10Z");
  keys.region = "eu-west-1";
  EXPECT_EQ(check_signature(request_of(kVectors[0]), keys), SignatureVerdict::kWrongScope);
  keys.region = "";
  EXPECT_EQ(check_signature(request_of(kVectors[0]), keys), SignatureVerdict::kGood);
  http::ServerRequest with_token = request_of(kVectors[0]);
  with_token.headers.add("X-Amz-Security-Token", "abc");
  EXPECT_EQ(check_signature(with_token, keys), SignatureVerdict::kUnknownKey);
}

TEST(Signature, HoldsForFiveMinutesEitherWay) {
  auto verdict = [](std::string_view now) { return check_signature(request_of(kVectors[0]), keys_at(now)); };
  EXPECT_EQ(verdict("2015-08-30T12:41:00Z"), SignatureVerdict::kGood);
  EXPECT_EQ(verdict("2015-08-30T12:41:01Z"), SignatureVerdict::kExpired);
  EXPECT_EQ(verdict("2015-08-30T12:31:00Z"), SignatureVerdict::kGood);
  EXPECT_EQ(verdict("2015-08-30T12:30:59Z"), SignatureVerdict::kExpired);
}

TEST(Signature, MissingOrUnreadable) {
  auto keys = keys_at("2015-08-30T12:36:10Z");
  http::ServerRequest request = request_of(kVectors[0]);
  request.headers.set("Authorization", "");
  EXPECT_EQ(check_signature(request, keys), SignatureVerdict::kMissing);
  for (const char* header : {"Bearer abc", "AWS4-HMAC-SHA256 nonsense",
                             "AWS4-HMAC-SHA256 Credential=a/b/aws4_request, SignedHeaders=host, Signature=00"}) {
    request.headers.set("Authorization", header);
    EXPECT_EQ(check_signature(request, keys), SignatureVerdict::kMissing) << header;
  }
}

TEST(Signature, HostMustBeSigned) {
  http::ServerRequest request = request_of(kVectors[0]);
  request.headers.set("Authorization",
                      "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
                      "SignedHeaders=x-amz-date, Signature=00");
  auto claim = read_signature(request);
  ASSERT_TRUE(claim);
  std::string good = signature_of(*claim, kSecret, canonical_request_of(request, *claim));
  request.headers.set("Authorization",
                      "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
                      "SignedHeaders=x-amz-date, Signature=" +
                          good);
  EXPECT_EQ(check_signature(request, keys_at("2015-08-30T12:36:10Z")), SignatureVerdict::kMismatch);
}

TEST(Signature, PresignedUrlHoldsAsLongAsItSays) {
  http::ServerRequest request{.method = "GET", .host = "sts.us-east-1.amazonaws.com", .raw_path = "/"};
  std::string unsigned_query =
      "Action=GetCallerIdentity&Version=2011-06-15&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential="
      "AKIDEXAMPLE%2F20150830%2Fus-east-1%2Fsts%2Faws4_request&X-Amz-Date=20150830T123600Z&X-Amz-Expires=900&"
      "X-Amz-SignedHeaders=host";
  request.raw_query = unsigned_query + "&X-Amz-Signature=00";
  auto claim = read_signature(request);
  ASSERT_TRUE(claim);
  EXPECT_TRUE(claim->presigned);
  request.raw_query =
      unsigned_query + "&X-Amz-Signature=" + signature_of(*claim, kSecret, canonical_request_of(request, *claim));
  EXPECT_EQ(check_signature(request, keys_at("2015-08-30T12:50:59Z")), SignatureVerdict::kGood);
  EXPECT_EQ(check_signature(request, keys_at("2015-08-30T12:51:01Z")), SignatureVerdict::kExpired);
  request.raw_query += "&More=1";
  EXPECT_EQ(check_signature(request, keys_at("2015-08-30T12:40:00Z")), SignatureVerdict::kMismatch);
}

}  // namespace
}  // namespace tenon::awssim
