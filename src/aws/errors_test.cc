// SPDX-License-Identifier: Apache-2.0
#include "aws/errors.h"

#include <gtest/gtest.h>

namespace tenon::aws {
namespace {

TEST(Errors, NameOperationCodeMessageAndRequest) {
  const Error error = to_error("ec2 CreateFleet", {"RequestLimitExceeded", "Request limit exceeded.", "4f3a"}, 503);
  EXPECT_EQ(error.message, "ec2 CreateFleet: RequestLimitExceeded: Request limit exceeded. (request 4f3a)");
  EXPECT_EQ(without_request(error.message), "ec2 CreateFleet: RequestLimitExceeded: Request limit exceeded.");
}

TEST(Errors, DoNotQuoteTheRequestWithItsSessionToken) {
  const std::string message =
      "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key "
      "and signing method.\n\nThe Canonical String for this request should have been\n'POST\n/\n\n"
      "x-amz-security-token:FwoGZXIvYXdzEBYaD\n'\n\nThe String-to-Sign should have been\n'AWS4-HMAC-SHA256'";
  const Error error = to_error("sts GetCallerIdentity", {"SignatureDoesNotMatch", message, ""}, 403);
  EXPECT_EQ(error.message,
            "sts GetCallerIdentity: SignatureDoesNotMatch: The request signature we calculated does not match the "
            "signature you provided. Check your AWS Secret Access Key and signing method.");
}

}  // namespace
}  // namespace tenon::aws
