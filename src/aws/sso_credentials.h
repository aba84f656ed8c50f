// Credentials of IAM Identity Center (SSO), from the token that `aws sso login` stores in ~/.aws/sso/cache.
// parity: botocore tokens.py, credentials.py SSOCredentialFetcher
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "aws/credentials.h"

namespace tenon::aws {

inline constexpr Duration kSsoTokenRefreshAhead = 15min;

struct SsoProfile {
  std::string profile;  // profile name, for messages
  std::string session;  // of [sso-session NAME]; empty: the older format, whose tokens are not refreshed
  std::string start_url, region, account_id, role_name;
};

// Refreshes a token before it expires if its session has a refresh token, and stores it for other programs if the
// folder is writable. No token appears in an Error. Errors of get(): kForbidden (no token, or it has expired or was
// rejected; the message names the command that creates one), and those of Client::call.
std::unique_ptr<CredentialsProvider> make_sso_credentials(const CredentialsContext& context, SsoProfile profile);

}  // namespace tenon::aws
