// The sources of credentials outside the process, and their order.
// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>

#include <cstring>

#include "aws/client.h"
#include "aws/credentials.h"
#include "aws/instance_metadata.h"
#include "aws/profile_credentials.h"
#include "aws/sts.h"
#include "base/text.h"
#include "json/json.h"

namespace tenon::aws {
namespace {

// Parses {"AccessKeyId": …, "SecretAccessKey": …, "Token": …, "Expiration": …}, the response of the container endpoint
// and of the metadata service.
Result<Credentials> parse_credentials(const std::string& source, const std::string& body) {
  const auto parsed = json::parse(body);
  if (!parsed) return fail(Code::kInternal, source + ": the answer is not JSON");
  Credentials credentials;
  credentials.access_key_id = json::string_at(*parsed, {"AccessKeyId"});
  credentials.secret_access_key = json::string_at(*parsed, {"SecretAccessKey"});
  credentials.session_token = json::string_at(*parsed, {"Token"});
  const auto expires = parse_rfc3339(json::string_at(*parsed, {"Expiration"}));
  if (credentials.access_key_id.empty() || credentials.secret_access_key.empty() || !expires) {
    return fail(Code::kForbidden, source + ": the answer holds no credentials");
  }
  credentials.expires = *expires;
  return credentials;
}

class WebIdentityCredentials final : public CredentialsProvider {
 public:
  WebIdentityCredentials(const CredentialsContext& context, WebIdentity identity)
      : identity_(std::move(identity)),
        nobody_(make_static_credentials({})),
        client_({context.transport, context.runtime, *nobody_},
                {.region = context.region, .environment = context.environment, .user_agent = "tenon", .observer = {}}) {
  }

  Result<Credentials> get(const std::stop_token& stop) override {
    auto token = read_small_file(identity_.token_file);
    if (!token) return fail(Code::kForbidden, "AWS_WEB_IDENTITY_TOKEN_FILE: " + token.error().message);
    Sts sts(client_);
    return sts.assume_role_with_web_identity(identity_.role_arn, identity_.session_name, std::string(trim(*token)),
                                             stop);
  }

 private:
  const WebIdentity identity_;
  const std::unique_ptr<CredentialsProvider> nobody_;
  Client client_;
};

class ContainerCredentials final : public CredentialsProvider {
 public:
  ContainerCredentials(const CredentialsContext& context, std::string url, std::string token_file)
      : context_(context), url_(std::move(url)), token_file_(std::move(token_file)) {}

  Result<Credentials> get(const std::stop_token& stop) override {
    const std::string source = "container credentials";
    http::Request request;
    request.url = url_;
    std::string token = context_.environment("AWS_CONTAINER_AUTHORIZATION_TOKEN");
    if (!token_file_.empty()) token = TRY_IN(source, read_small_file(token_file_));
    const std::string_view line = trim(token);
    if (line.find_first_of("\r\n") != std::string_view::npos) {
      return fail(Code::kForbidden, source + ": the authorization token has several lines");
    }
    if (!line.empty()) request.headers.set("Authorization", std::string(line));
    return parse_credentials(source, TRY(fetch_local(context_.local, source, request, stop)));
  }

 private:
  const CredentialsContext context_;
  const std::string url_, token_file_;
};

class InstanceCredentials final : public CredentialsProvider {
 public:
  explicit InstanceCredentials(const CredentialsContext& context) : context_(context) {}

  Result<Credentials> get(const std::stop_token& stop) override {
    const auto metadata = TRY(InstanceMetadata::open(context_.local, context_.environment, stop));
    const std::string path = "iam/security-credentials/";
    const std::string roles = TRY(metadata.get(path, stop));
    const std::string role(trim(cut(roles, '\n').first));
    return parse_credentials("instance metadata service", TRY(metadata.get(path + role, stop)));
  }

 private:
  const CredentialsContext context_;
};

using Provider = std::unique_ptr<CredentialsProvider>;

// Whether plain HTTP to this host stays on the machine. Compares exact addresses, so that no DNS name can point
// elsewhere.
bool is_local(std::string_view host) {
  std::string name(host);
  if (name.starts_with('[')) {
    const size_t end = name.find(']');
    if (end == std::string::npos) return false;
    name = name.substr(1, end - 1);
  } else {
    name = name.substr(0, name.find(':'));
  }
  if (name == "localhost" || name == "169.254.170.2" || name == "169.254.170.23") return true;
  in_addr v4{};
  if (inet_pton(AF_INET, name.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  in6_addr v6{}, pods{};
  inet_pton(AF_INET6, "fd00:ec2::23", &pods);
  if (inet_pton(AF_INET6, name.c_str(), &v6) != 1) return false;
  return IN6_IS_ADDR_LOOPBACK(&v6) || std::memcmp(&v6, &pods, sizeof v6) == 0;
}

}  // namespace

std::unique_ptr<CredentialsProvider> make_web_identity_credentials(const CredentialsContext& context,
                                                                   WebIdentity identity) {
  return std::make_unique<WebIdentityCredentials>(context, std::move(identity));
}

Result<Provider> make_container_credentials(const CredentialsContext& context) {
  const std::string relative = context.environment("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
  std::string url = context.environment("AWS_CONTAINER_CREDENTIALS_FULL_URI");
  if (url.empty() && relative.empty()) return Provider();
  const bool full = !url.empty();
  if (!full && !relative.starts_with('/')) {
    return fail(Code::kInvalid, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: must begin with /");
  }
  if (!full) url = "http://169.254.170.2" + relative;
  const auto parts = http::parse_url(url);
  const bool fine = parts && parts->host.find('@') == std::string_view::npos &&
                    (parts->scheme == "https" || (parts->scheme == "http" && is_local(parts->host)));
  if (!fine) {
    return fail(Code::kInvalid,
                "AWS_CONTAINER_CREDENTIALS_FULL_URI: must be https, or http to loopback, "
                "169.254.170.2, 169.254.170.23 or [fd00:ec2::23]" +
                    (parts ? ", not " + std::string(parts->scheme) + " to " + std::string(parts->host)
                           : std::string(", and is no URL")));
  }
  return Provider(std::make_unique<ContainerCredentials>(
      context, std::move(url), context.environment("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE")));
}

Result<Provider> make_environment_credentials(const Environment& environment) {
  Credentials keys{environment("AWS_ACCESS_KEY_ID"), environment("AWS_SECRET_ACCESS_KEY"),
                   environment("AWS_SESSION_TOKEN")};
  if (keys.access_key_id.empty() != keys.secret_access_key.empty()) {
    return fail(Code::kInvalid, "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set together");
  }
  if (keys.access_key_id.empty()) return Provider();
  return make_static_credentials(std::move(keys));
}

std::unique_ptr<CredentialsProvider> make_instance_credentials(const CredentialsContext& context) {
  return std::make_unique<InstanceCredentials>(context);
}

Result<Provider> make_default_credentials(const CredentialsContext& context) {
  Provider keys = TRY(make_environment_credentials(context.environment));
  if (keys) return keys;
  const std::string role = context.environment("AWS_ROLE_ARN");
  const std::string token_file = context.environment("AWS_WEB_IDENTITY_TOKEN_FILE");
  Provider source;
  if (!role.empty() && !token_file.empty()) {
    const std::string name = context.environment("AWS_ROLE_SESSION_NAME");
    source = make_web_identity_credentials(context, {role, token_file, name.empty() ? "tenon" : name});
  }
  if (source == nullptr) source = TRY(make_profile_credentials(context));
  if (source == nullptr) source = TRY(make_container_credentials(context));
  if (source == nullptr && !InstanceMetadata::is_enabled(context.environment)) {
    return fail(Code::kForbidden,
                "no AWS credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE");
  }
  if (source == nullptr) source = make_instance_credentials(context);
  return make_cached_credentials(std::move(source), context.runtime);
}

}  // namespace tenon::aws
