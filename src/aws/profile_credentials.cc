// SPDX-License-Identifier: Apache-2.0
#include "aws/profile_credentials.h"

#include <algorithm>
#include <charconv>

#include "aws/client.h"
#include "aws/command_words.h"
#include "aws/instance_metadata.h"
#include "aws/sso_credentials.h"
#include "aws/sts.h"
#include "base/text.h"
#include "json/json.h"
#include "runtime/subprocess.h"

namespace tenon::aws {
namespace {

using Provider = std::unique_ptr<CredentialsProvider>;
constexpr int kLeastRoleSeconds = 900, kMostRoleSeconds = 43200;  // limits of STS

class AssumeRoleCredentials final : public CredentialsProvider {
 public:
  AssumeRoleCredentials(const CredentialsContext& context, Provider source, AssumedRole role, std::string profile)
      : source_(make_cached_credentials(std::move(source), context.runtime)),
        role_(std::move(role)),
        profile_(std::move(profile)),
        client_({context.transport, context.runtime, *source_},
                {.region = context.region, .environment = context.environment, .user_agent = "tenon", .observer = {}}) {
  }

  Result<Credentials> get(const std::stop_token& stop) override {
    Sts sts(client_);
    return TRY_IN("AWS profile " + profile_ + ": " + role_.role_arn, sts.assume_role(role_, stop));
  }

 private:
  const Provider source_;
  const AssumedRole role_;
  const std::string profile_;
  Client client_;
};

class ProcessCredentials final : public CredentialsProvider {
 public:
  ProcessCredentials(std::vector<std::string> words, std::string profile)
      : words_(std::move(words)), where_("AWS profile " + profile + ": credential_process") {}

  Result<Credentials> get(const std::stop_token& stop) override {
    Result<std::string> printed = runtime::run_program({.words = words_}, kCredentialProcessTimeout, stop);
    if (!printed && printed.error().code == Code::kNotFound) printed = fail(Code::kForbidden, printed.error().message);
    const std::string text = TRY_IN(where_, std::move(printed));
    const auto parsed = json::parse(text);
    if (!parsed || !parsed->is_object()) return fail(Code::kForbidden, where_ + ": what it prints is not JSON");
    if (json::int_at(*parsed, {"Version"}) != 1) return fail(Code::kForbidden, where_ + ": its Version is not 1");
    const auto at = [&](std::string_view key) { return std::string(json::string_at(*parsed, {key})); };
    Credentials credentials{at("AccessKeyId"), at("SecretAccessKey"), at("SessionToken")};
    if (credentials.access_key_id.empty() || credentials.secret_access_key.empty()) {
      return fail(Code::kForbidden, where_ + ": it prints no AccessKeyId and SecretAccessKey");
    }
    if (const std::string expiration = at("Expiration"); !expiration.empty()) {
      const auto expires = parse_rfc3339(expiration);
      if (!expires) {
        return fail(Code::kForbidden, where_ + ": its Expiration is not a time such as 2026-09-01T12:00:00Z");
      }
      credentials.expires = *expires;
    }
    return credentials;
  }

 private:
  const std::vector<std::string> words_;
  const std::string where_;
};

class Resolver {
 public:
  Resolver(const CredentialsContext& context, const Profiles& profiles) : context_(context), profiles_(profiles) {}

  // `seen`: the profiles on the way here; the first one is the user's.
  Result<Provider> resolve(const std::string& name, std::vector<std::string> seen) const {
    const Profile& profile = profiles_.find(name)->second;
    const auto at = [&](std::string_view key) {
      const auto it = profile.find(key);
      return it == profile.end() ? std::string() : it->second;
    };
    const bool keys = !at("aws_access_key_id").empty() || !at("aws_secret_access_key").empty();
    if (at("aws_access_key_id").empty() != at("aws_secret_access_key").empty()) {
      return refuse(name, "aws_access_key_id and aws_secret_access_key must be set together");
    }
    // Keys in a source profile take precedence, so that two profiles may name each other.
    if (keys && (at("role_arn").empty() || !seen.empty())) {
      return make_static_credentials({at("aws_access_key_id"), at("aws_secret_access_key"), at("aws_session_token")});
    }
    seen.push_back(name);
    if (!at("role_arn").empty()) return assume_role(name, at, std::move(seen));
    if (!at("sso_session").empty() || !at("sso_start_url").empty()) return sso(name, at);
    if (const std::string command = at("credential_process"); !command.empty()) {
      auto words = TRY_IN(place(name) + ": credential_process", split_command(command));
      return Provider(std::make_unique<ProcessCredentials>(std::move(words), name));
    }
    return Provider();
  }

 private:
  static std::string place(const std::string& profile) { return "AWS profile " + profile; }
  static tl::unexpected<Error> refuse(const std::string& profile, const std::string& why) {
    return fail(Code::kInvalid, place(profile) + ": " + why);
  }

  template <class At>
  Result<Provider> assume_role(const std::string& name, const At& at, std::vector<std::string> seen) const {
    AssumedRole role{at("role_arn"), at("role_session_name"), at("external_id")};
    if (role.session_name.empty()) role.session_name = context_.environment("AWS_ROLE_SESSION_NAME");
    if (role.session_name.empty()) role.session_name = "tenon";
    if (const std::string file = at("web_identity_token_file"); !file.empty()) {
      return make_web_identity_credentials(context_, {role.role_arn, file, role.session_name});
    }
    if (!at("mfa_serial").empty()) {
      return refuse(name, "mfa_serial: a code cannot be entered here; use a role without MFA, or credential_process");
    }
    if (const std::string text = at("duration_seconds"); !text.empty()) {
      int seconds = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
      if (error != std::errc() || end != text.data() + text.size() || seconds < kLeastRoleSeconds ||
          seconds > kMostRoleSeconds) {
        return refuse(name, "duration_seconds: must be a number from 900 to 43200");
      }
      role.life = std::chrono::seconds(seconds);
    }
    const std::string source = at("source_profile"), kind = at("credential_source");
    if (source.empty() == kind.empty()) {
      return refuse(name, "role_arn needs one of source_profile, credential_source and web_identity_token_file");
    }
    Result<Provider> base = source.empty() ? of_host(name, kind) : of_profile(name, source, std::move(seen));
    if (!base) return base;
    return Provider(std::make_unique<AssumeRoleCredentials>(context_, *std::move(base), std::move(role), name));
  }

  Result<Provider> of_profile(const std::string& name, const std::string& source, std::vector<std::string> seen) const {
    if (!profiles_.contains(source)) return refuse(name, "source_profile: there is no profile " + source);
    const Profile& profile = profiles_.find(source)->second;
    const bool repeated = std::find(seen.begin(), seen.end(), source) != seen.end();
    if ((repeated && !profile.contains("aws_access_key_id")) || seen.size() >= kMaxRoleChain) {
      return refuse(name, "source_profile: " + join(seen, " -> ") + " -> " + source + " has no end");
    }
    Provider provider = TRY(resolve(source, std::move(seen)));
    if (!provider) return refuse(name, "source_profile: profile " + source + " holds no credentials");
    return provider;
  }

  Result<Provider> of_host(const std::string& name, const std::string& kind) const {
    Provider provider;
    if (kind == "Environment") {
      provider = TRY(make_environment_credentials(context_.environment));
    } else if (kind == "EcsContainer") {
      provider = TRY(make_container_credentials(context_));
    } else if (kind == "Ec2InstanceMetadata") {
      if (InstanceMetadata::is_enabled(context_.environment)) provider = make_instance_credentials(context_);
    } else {
      return refuse(name, "credential_source: must be Environment, Ec2InstanceMetadata or EcsContainer, not " + kind);
    }
    if (!provider) return refuse(name, "credential_source: " + kind + " has no credentials");
    return provider;
  }

  template <class At>
  Result<Provider> sso(const std::string& name, const At& at) const {
    SsoProfile sso{
        name, at("sso_session"), at("sso_start_url"), at("sso_region"), at("sso_account_id"), at("sso_role_name")};
    if (!sso.session.empty()) {
      const auto section = profiles_.find("sso-session " + sso.session);
      if (section == profiles_.end()) {
        return refuse(name, "sso_session: there is no section [sso-session " + sso.session + "]");
      }
      const auto of_session = [&](std::string_view key) {
        const auto it = section->second.find(key);
        return it == section->second.end() ? std::string() : it->second;
      };
      sso.start_url = of_session("sso_start_url");
      sso.region = of_session("sso_region");
    }
    for (const auto& [key, value] :
         {std::pair("sso_start_url", &sso.start_url), std::pair("sso_region", &sso.region),
          std::pair("sso_account_id", &sso.account_id), std::pair("sso_role_name", &sso.role_name)}) {
      if (value->empty()) return refuse(name, std::string(key) + " is missing");
    }
    return make_sso_credentials(context_, std::move(sso));
  }

  const CredentialsContext& context_;
  const Profiles& profiles_;
};

}  // namespace

Result<Provider> make_profile_credentials(const CredentialsContext& context) {
  const Profiles profiles = TRY(load_profiles(context.environment));
  const std::string name = profile_name(context.environment);
  if (profiles.contains(name)) return Resolver(context, profiles).resolve(name, {});
  if (context.environment("AWS_PROFILE").empty() && context.environment("AWS_DEFAULT_PROFILE").empty()) {
    return Provider();
  }
  return fail(Code::kInvalid, "AWS_PROFILE: there is no profile " + name);
}

}  // namespace tenon::aws
