// SPDX-License-Identifier: Apache-2.0
#include "aws/sso_credentials.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "aws/client.h"
#include "aws/json_protocol.h"
#include "base/text.h"
#include "json/json.h"

namespace tenon::aws {
namespace {

std::string sha1_hex(const std::string& text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha1(), nullptr);
  std::string out;
  for (unsigned int i = 0; i < size; ++i) {
    constexpr std::string_view kHex = "0123456789abcdef";
    out += kHex[digest[i] >> 4];
    out += kHex[digest[i] & 15];
  }
  return out;
}

// Writes the file atomically, readable by its owner only. A failed write is no error: the folder may be on a read-only
// volume.
void replace_file(const std::string& path, const std::string& text) {
  std::string fresh = path + ".XXXXXX";
  const int fd = mkostemp(fresh.data(), O_CLOEXEC);  // mode 0600
  if (fd < 0) return;
  const bool whole = write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(fd);
  if (!whole || std::rename(fresh.c_str(), path.c_str()) != 0) unlink(fresh.c_str());
}

class SsoCredentials final : public CredentialsProvider {
 public:
  SsoCredentials(const CredentialsContext& context, SsoProfile profile)
      : profile_(std::move(profile)),
        path_(context.environment("HOME") + "/.aws/sso/cache/" +
              sha1_hex(profile_.session.empty() ? profile_.start_url : profile_.session) + ".json"),
        nobody_(make_static_credentials({})),
        client_(
            {context.transport, context.runtime, *nobody_},
            {.region = profile_.region, .environment = context.environment, .user_agent = "tenon", .observer = {}}) {}

  Result<Credentials> get(const std::stop_token& stop) override {
    const std::string token = TRY(access_token(stop));
    RestTarget target{kSso, "GetRoleCredentials", "GET", "/federation/credentials"};
    target.query =
        "role_name=" + percent_encode(profile_.role_name) + "&account_id=" + percent_encode(profile_.account_id);
    target.headers = {{"x-amz-sso_bearer_token", token}};
    target.anonymous = true;
    const auto answer = call_rest(client_, target, stop);
    if (!answer && answer.error().code == Code::kForbidden) return log_in(answer.error().message);
    if (!answer) return fail(answer.error());
    const auto text = [&](std::string_view key) {
      return std::string(json::string_at(*answer, {"roleCredentials", key}));
    };
    const int64_t expires_ms = json::int_at(*answer, {"roleCredentials", "expiration"});
    Credentials credentials{text("accessKeyId"), text("secretAccessKey"), text("sessionToken"),
                            Instant(std::chrono::milliseconds(expires_ms))};
    if (credentials.access_key_id.empty() || credentials.secret_access_key.empty() || expires_ms <= 0) {
      return fail(Code::kInternal, "sso GetRoleCredentials: the answer holds no credentials");
    }
    return credentials;
  }

 private:
  tl::unexpected<Error> log_in(const std::string& why) const {
    return fail(Code::kForbidden,
                "AWS profile " + profile_.profile + ": " + why + ": run aws sso login --profile " + profile_.profile);
  }

  Result<std::string> access_token(const std::stop_token& stop) {
    const auto text = read_small_file(path_);
    if (!text) return log_in("there is no SSO token: " + text.error().message);
    const auto token = json::parse(*text);
    const std::string access(token ? json::string_at(*token, {"accessToken"}) : "");
    const auto expires = parse_rfc3339(token ? json::string_at(*token, {"expiresAt"}) : "");
    if (access.empty() || !expires) return log_in(path_ + " holds no SSO token");
    const Duration left = *expires - client_.runtime().now();
    if (left >= kSsoTokenRefreshAhead) return access;
    const bool renewable = !profile_.session.empty();
    if (renewable) {
      Result<std::string> fresh = refresh(*token, stop);
      const bool refused = !fresh && fresh.error().code == Code::kForbidden;
      if (refused && left <= Duration(0)) return log_in("the SSO token has expired: " + fresh.error().message);
      if (fresh || left <= Duration(0)) return fresh;
    }
    if (left <= Duration(0)) return log_in("the SSO token has expired");
    return access;
  }

  // Errors: kForbidden if it cannot be refreshed, and those of the call.
  Result<std::string> refresh(const json::value& token, const std::stop_token& stop) {
    const auto expires = parse_rfc3339(json::string_at(token, {"registrationExpiresAt"}));
    json::object input{{"grantType", "refresh_token"}};
    for (const char* key : {"clientId", "clientSecret", "refreshToken"}) {
      const std::string_view value = json::string_at(token, {key});
      if (value.empty()) return fail(Code::kForbidden, "it has no " + std::string(key));
      input[key] = value;
    }
    if (!expires || *expires <= client_.runtime().now()) {
      return fail(Code::kForbidden, "its registration has expired");
    }
    RestTarget target{kSsoOidc, "CreateToken", "POST", "/token"};
    target.headers = {{"Content-Type", "application/json"}};
    target.body = json::to_string(input);
    target.anonymous = true;
    const auto answer = call_rest(client_, target, stop);
    if (!answer) {
      const bool refused = answer.error().code == Code::kInternal || answer.error().code == Code::kInvalid;
      return fail(refused ? Code::kForbidden : answer.error().code, answer.error().message);
    }
    const std::string access(json::string_at(*answer, {"accessToken"}));
    const int64_t seconds = json::int_at(*answer, {"expiresIn"});
    if (access.empty() || seconds <= 0) return fail(Code::kForbidden, "sso_oidc CreateToken: the answer has no token");
    json::object fresh = token.as_object();
    fresh["accessToken"] = access;
    fresh["expiresAt"] = format_rfc3339(client_.runtime().now() + std::chrono::seconds(seconds));
    const std::string_view next = json::string_at(*answer, {"refreshToken"});
    if (!next.empty()) fresh["refreshToken"] = next;
    replace_file(path_, json::to_string(fresh));
    return access;
  }

  const SsoProfile profile_;
  const std::string path_;
  const std::unique_ptr<CredentialsProvider> nobody_;
  Client client_;
};

}  // namespace

std::unique_ptr<CredentialsProvider> make_sso_credentials(const CredentialsContext& context, SsoProfile profile) {
  return std::make_unique<SsoCredentials>(context, std::move(profile));
}

}  // namespace tenon::aws
