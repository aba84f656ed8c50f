// Credentials of IAM Identity Center (SSO) from the token that `aws sso login` left in ~/.aws/sso/cache.
// parity: botocore tokens.py, credentials.py SSOCredentialFetcher
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "aws/credentials.h"

namespace tenon::aws {

inline constexpr Duration kSsoTokenRefreshAhead = 15min;

struct SsoProfile {
  std::string profile;  // its name, for messages
  std::string session;  // of [sso-session NAME]; empty: the older form, whose tokens are not refreshed
  std::string start_url, region, account_id, role_name;
};

// A token that is about to expire is refreshed if its session has a refresh token, and written back for other programs
// where the folder can be written. No token appears in an Error. Errors of get(): kForbidden: no token, it has expired
// or was refused, with the command that makes a new one; those of Client::call.
std::unique_ptr<CredentialsProvider> make_sso_credentials(const CredentialsContext& context, SsoProfile profile);

}  // namespace tenon::aws
