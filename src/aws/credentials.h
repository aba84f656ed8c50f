// AWS credentials and their sources. Every call gets credentials from a CredentialsProvider. The cached one refreshes
// temporary credentials before they expire and keeps using them while a refresh fails.
//
// Secrets never reach a log, an Error or a Metric.
// credentials_sources.cc has the sources outside the process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "aws/environment.h"
#include "base/instant.h"
#include "base/result.h"
#include "http/transport.h"
#include "runtime/runtime.h"

namespace tenon::aws {

struct Credentials {
  std::string access_key_id, secret_access_key;
  std::string session_token;  // empty for long-lived keys
  Instant expires = kNever;
};

class CredentialsProvider {
 public:
  virtual ~CredentialsProvider() = default;
  // Thread rule: any thread; may block on the network.
  // Errors: kForbidden (nothing is configured, or the source denies access), kUnavailable, kTimeout, kCancelled.
  virtual Result<Credentials> get(const std::stop_token& stop) = 0;
};

std::unique_ptr<CredentialsProvider> make_static_credentials(Credentials credentials);

// The dependencies of a source of credentials; all must outlive the provider.
struct CredentialsContext {
  http::Transport& transport;
  http::Transport& local;  // for services of this host: without a proxy
  runtime::Runtime& runtime;
  Environment environment;
  std::string region;
};

// Caches the credentials of `source` until kRefreshAhead before they expire; concurrent callers share one refresh.
inline constexpr Duration kRefreshAhead = 5min;
std::unique_ptr<CredentialsProvider> make_cached_credentials(std::unique_ptr<CredentialsProvider> source,
                                                             runtime::Runtime& runtime);

// AssumeRoleWithWebIdentity (IAM roles for service accounts): every call reads the token file again.
struct WebIdentity {
  std::string role_arn, token_file, session_name;
};
std::unique_ptr<CredentialsProvider> make_web_identity_credentials(const CredentialsContext& context,
                                                                   WebIdentity identity);
// AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; null if they are not set. Errors: kInvalid: one of them alone.
Result<std::unique_ptr<CredentialsProvider>> make_environment_credentials(const Environment& environment);
// The container endpoint (EKS Pod Identity, ECS) of AWS_CONTAINER_CREDENTIALS_FULL_URI or …_RELATIVE_URI; null if
// neither is set. Errors: kInvalid: the URL is neither https nor on this host: loopback, 169.254.170.2, 169.254.170.23
// or fd00:ec2::23. parity: botocore ContainerMetadataFetcher
Result<std::unique_ptr<CredentialsProvider>> make_container_credentials(const CredentialsContext& context);
// The instance's metadata service, version 2.
std::unique_ptr<CredentialsProvider> make_instance_credentials(const CredentialsContext& context);

// Returns the first configured source, in the order of the AWS SDKs: AWS_ACCESS_KEY_ID, web identity, the shared files
// (AWS_PROFILE), the container endpoint, the instance's metadata service; cached.
// Errors: kInvalid (one key variable alone, a shared file that cannot be parsed, a profile that does not exist or
// contradicts itself, an invalid container URL), kForbidden (no source, and the metadata service is disabled).
Result<std::unique_ptr<CredentialsProvider>> make_default_credentials(const CredentialsContext& context);

}  // namespace tenon::aws
