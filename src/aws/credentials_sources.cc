// Where credentials come from outside the process, and in which order the sources are looked at.
// SPDX-License-Identifier: Apache-2.0
#include "aws/client.h"
#include "aws/credentials.h"
#include "aws/instance_metadata.h"
#include "aws/sts.h"
#include "base/text.h"
#include "json/json.h"

namespace tenon::aws {
namespace {

// {"AccessKeyId": …, "SecretAccessKey": …, "Token": …, "Expiration": …}, as the container endpoint and the metadata
// service answer.
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
    if (!token.empty()) request.headers.set("Authorization", std::string(trim(token)));
    return parse_credentials(source, TRY(fetch_local(context_.transport, source, request, stop)));
  }

 private:
  const CredentialsContext context_;
  const std::string url_, token_file_;
};

class InstanceCredentials final : public CredentialsProvider {
 public:
  explicit InstanceCredentials(const CredentialsContext& context) : context_(context) {}

  Result<Credentials> get(const std::stop_token& stop) override {
    const auto metadata = TRY(InstanceMetadata::open(context_.transport, context_.environment, stop));
    const std::string path = "iam/security-credentials/";
    const std::string roles = TRY(metadata.get(path, stop));
    const std::string role(trim(cut(roles, '\n').first));
    return parse_credentials("instance metadata service", TRY(metadata.get(path + role, stop)));
  }

 private:
  const CredentialsContext context_;
};

using MaybeProvider = Result<std::unique_ptr<CredentialsProvider>>;  // null: not configured

std::string session_name(const Environment& environment) {
  const std::string name = environment("AWS_ROLE_SESSION_NAME");
  return name.empty() ? "tenon" : name;
}

std::unique_ptr<CredentialsProvider> from_environment(const Environment& environment) {
  Credentials keys{environment("AWS_ACCESS_KEY_ID"), environment("AWS_SECRET_ACCESS_KEY"),
                   environment("AWS_SESSION_TOKEN")};
  if (keys.access_key_id.empty() || keys.secret_access_key.empty()) return nullptr;
  return make_static_credentials(std::move(keys));
}

MaybeProvider from_profile(const CredentialsContext& context) {
  const Profiles profiles = TRY(load_profiles(context.environment));
  const std::string name = profile_name(context.environment);
  const auto found = profiles.find(name);
  if (found == profiles.end()) {
    if (context.environment("AWS_PROFILE").empty()) return std::unique_ptr<CredentialsProvider>();
    return fail(Code::kInvalid, "AWS_PROFILE: there is no profile " + name);
  }
  const auto at = [&](std::string_view key) {
    const auto it = found->second.find(key);
    return it == found->second.end() ? std::string() : it->second;
  };
  if (!at("role_arn").empty() && !at("web_identity_token_file").empty()) {
    return make_web_identity_credentials(
        context, {at("role_arn"), at("web_identity_token_file"), session_name(context.environment)});
  }
  if (!at("aws_access_key_id").empty() && !at("aws_secret_access_key").empty()) {
    return make_static_credentials({at("aws_access_key_id"), at("aws_secret_access_key"), at("aws_session_token")});
  }
  for (const char* key :
       {"credential_process", "source_profile", "credential_source", "sso_session", "sso_start_url"}) {
    if (!at(key).empty()) return fail(Code::kInvalid, "AWS profile " + name + ": " + key + " is not supported");
  }
  return std::unique_ptr<CredentialsProvider>();
}

std::unique_ptr<CredentialsProvider> from_container(const CredentialsContext& context) {
  std::string url = context.environment("AWS_CONTAINER_CREDENTIALS_FULL_URI");
  const std::string relative = context.environment("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
  if (url.empty() && !relative.empty()) url = "http://169.254.170.2" + relative;
  if (url.empty()) return nullptr;
  return make_container_credentials(context, url, context.environment("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"));
}

}  // namespace

std::unique_ptr<CredentialsProvider> make_web_identity_credentials(const CredentialsContext& context,
                                                                   WebIdentity identity) {
  return std::make_unique<WebIdentityCredentials>(context, std::move(identity));
}

std::unique_ptr<CredentialsProvider> make_container_credentials(const CredentialsContext& context, std::string url,
                                                                std::string token_file) {
  return std::make_unique<ContainerCredentials>(context, std::move(url), std::move(token_file));
}

std::unique_ptr<CredentialsProvider> make_instance_credentials(const CredentialsContext& context) {
  return std::make_unique<InstanceCredentials>(context);
}

Result<std::unique_ptr<CredentialsProvider>> make_default_credentials(const CredentialsContext& context) {
  if (auto keys = from_environment(context.environment)) return keys;
  const std::string role = context.environment("AWS_ROLE_ARN");
  const std::string token_file = context.environment("AWS_WEB_IDENTITY_TOKEN_FILE");
  std::unique_ptr<CredentialsProvider> source;
  if (!role.empty() && !token_file.empty()) {
    source = make_web_identity_credentials(context, {role, token_file, session_name(context.environment)});
  }
  if (source == nullptr) source = TRY(from_profile(context));
  if (source == nullptr) source = from_container(context);
  if (source == nullptr && !InstanceMetadata::is_enabled(context.environment)) {
    return fail(Code::kForbidden,
                "no AWS credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE");
  }
  if (source == nullptr) source = make_instance_credentials(context);
  return make_cached_credentials(std::move(source), context.runtime);
}

}  // namespace tenon::aws
