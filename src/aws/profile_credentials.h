// Credentials of a profile in the shared files: keys, roles that other profiles or this host assume (also in chains),
// SSO, and programs. parity: botocore credentials.py, aws-sdk-go-v2 config/resolve_credentials.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "aws/credentials.h"

namespace tenon::aws {

inline constexpr Duration kCredentialProcessTimeout = 1min;  // parity: aws-sdk-go-v2
inline constexpr size_t kMaxRoleChain = 16;                  // profiles in a chain of source_profile

// Returns those of profile_name(); null if it names no source of credentials, or if it is the default profile and does
// not exist. Errors: kInvalid, with the profile and the setting.
Result<std::unique_ptr<CredentialsProvider>> make_profile_credentials(const CredentialsContext& context);

}  // namespace tenon::aws
