// AWS credentials and where they come from. A CredentialsProvider is asked before every call; the cached one refreshes
// temporary credentials ahead of their end and keeps using them while a refresh fails.
//
// Secrets never reach a log, an Error or a Metric.
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
  // Errors: kForbidden (nothing is configured, or the source refused), kUnavailable, kTimeout, kCancelled.
  virtual Result<Credentials> get(const std::stop_token& stop) = 0;
};

std::unique_ptr<CredentialsProvider> make_static_credentials(Credentials credentials);

// Everything that a source of credentials talks to; all outlive the provider.
struct CredentialsContext {
  http::Transport& transport;
  http::Transport& local;  // to services of this host: without a proxy
  runtime::Runtime& runtime;
  Environment environment;
  std::string region;
};

// Caches `source` until kRefreshAhead before its end; concurrent callers share one refresh.
inline constexpr Duration kRefreshAhead = 5min;
std::unique_ptr<CredentialsProvider> make_cached_credentials(std::unique_ptr<CredentialsProvider> source,
                                                             runtime::Runtime& runtime);

// AssumeRoleWithWebIdentity (IAM roles for service accounts): the token file is read anew for every call.
struct WebIdentity {
  std::string role_arn, token_file, session_name;
};
std::unique_ptr<CredentialsProvider> make_web_identity_credentials(const CredentialsContext& context,
                                                                   WebIdentity identity);
// AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; null if they are not set. Errors: kInvalid: one of them alone.
Result<std::unique_ptr<CredentialsProvider>> make_environment_credentials(const Environment& environment);
// The container endpoint (EKS Pod Identity, ECS) of AWS_CONTAINER_CREDENTIALS_FULL_URI or …_RELATIVE_URI; null if
// neither is set. Errors: kInvalid: the URL is neither https nor of this host: loopback, 169.254.170.2, 169.254.170.23
// or fd00:ec2::23. parity: botocore ContainerMetadataFetcher
Result<std::unique_ptr<CredentialsProvider>> make_container_credentials(const CredentialsContext& context);
// The instance's metadata service, version 2.
std::unique_ptr<CredentialsProvider> make_instance_credentials(const CredentialsContext& context);

// The first that is configured, in the order of the AWS SDKs: AWS_ACCESS_KEY_ID, web identity, the shared files
// (AWS_PROFILE), the container endpoint, the instance's metadata service; cached.
// Errors: kInvalid (a shared file that cannot be parsed, a profile that does not exist or contradicts itself).
Result<std::unique_ptr<CredentialsProvider>> make_default_credentials(const CredentialsContext& context);

}  // namespace tenon::aws
