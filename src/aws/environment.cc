// SPDX-License-Identifier: Apache-2.0
#include "aws/environment.h"

#include <openssl/err.h>
#include <openssl/pem.h>

#include <cstdlib>
#include <fstream>
#include <memory>

#include "base/text.h"

namespace tenon::aws {
namespace {

// parity: botocore configprovider.py
struct ProfileSetting {
  std::string_view variable, key;
};
constexpr ProfileSetting kSettings[] = {
    {"AWS_CA_BUNDLE", "ca_bundle"},
    {"AWS_EC2_METADATA_SERVICE_ENDPOINT", "ec2_metadata_service_endpoint"},
    {"AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE", "ec2_metadata_service_endpoint_mode"},
    {"AWS_ENDPOINT_URL", "endpoint_url"},
    {"AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "ignore_configured_endpoint_urls"},
    {"AWS_MAX_ATTEMPTS", "max_attempts"},
    {"AWS_RETRY_MODE", "retry_mode"},
    {"AWS_USE_DUALSTACK_ENDPOINT", "use_dualstack_endpoint"},
    {"AWS_USE_FIPS_ENDPOINT", "use_fips_endpoint"},
};

// "[profile dev]" and "[dev]" both name the profile dev; other typed sections ("sso-session x") keep both words.
Result<std::string> section_name(std::string_view line) {
  const size_t end = line.find(']');
  if (end == std::string_view::npos) return fail(Code::kInvalid, "a section without ']'");
  std::string_view name = trim(line.substr(1, end - 1));
  if (name.starts_with("profile ")) name = trim(name.substr(8));
  if (name.empty()) return fail(Code::kInvalid, "a section without a name");
  return std::string(name);
}

Result<Profiles> load_file(const Environment& environment, const std::string& variable, const std::string& standard) {
  std::string path = environment(variable);
  if (path.empty()) path = environment("HOME") + "/.aws/" + standard;
  auto text = read_small_file(path);
  if (!text) {
    if (text.error().code == Code::kNotFound) return Profiles{};
    return fail(text.error());
  }
  return TRY_IN(path, parse_profiles(*text));
}

}  // namespace

Environment process_environment() {
  return [](const std::string& name) {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? std::string() : std::string(value);
  };
}

Result<Profiles> parse_profiles(std::string_view text) {
  Profiles profiles;
  Profile* section = nullptr;
  size_t number = 0;
  for (const std::string_view raw : split(text, '\n')) {
    ++number;
    const std::string_view line = trim(raw);
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    const std::string where = "line " + std::to_string(number) + ": ";
    if (line.front() == '[') {
      section = &profiles[TRY_IN("line " + std::to_string(number), section_name(line))];
      continue;
    }
    if (raw.front() == ' ' || raw.front() == '\t') continue;  // a sub-setting (below "s3 =")
    if (line.find('=') == std::string_view::npos)
      return fail(Code::kInvalid, where + "neither a section nor key = value");
    if (section == nullptr) return fail(Code::kInvalid, where + "a setting before the first [section]");
    const auto [key, value] = cut(line, '=');
    (*section)[to_lower(trim(key))] = std::string(trim(value));
  }
  return profiles;
}

Result<Profiles> load_profiles(const Environment& environment) {
  Profiles profiles = TRY(load_file(environment, "AWS_CONFIG_FILE", "config"));
  for (auto& [name, settings] : TRY(load_file(environment, "AWS_SHARED_CREDENTIALS_FILE", "credentials"))) {
    for (auto& [key, value] : settings) profiles[name][key] = value;
  }
  return profiles;
}

std::string profile_name(const Environment& environment) {
  for (const char* variable : {"AWS_PROFILE", "AWS_DEFAULT_PROFILE"}) {
    const std::string name = environment(variable);
    if (!name.empty()) return name;
  }
  return "default";
}

Result<Environment> with_profile(Environment environment) {
  Profiles profiles = TRY(load_profiles(environment));
  Profile own = std::move(profiles[profile_name(environment)]);
  return Environment([environment = std::move(environment), own = std::move(own)](const std::string& name) {
    std::string value = environment(name);
    if (!value.empty()) return value;
    for (const ProfileSetting& setting : kSettings) {
      const auto found = setting.variable == name ? own.find(setting.key) : own.end();
      if (found != own.end()) return found->second;
    }
    return std::string();
  });
}

Result<std::string> read_ca_bundle(const Environment& environment) {
  const std::string path = environment("AWS_CA_BUNDLE");
  if (path.empty()) return std::string();
  auto pem = read_small_file(path);
  if (!pem) return fail(Code::kInvalid, "AWS_CA_BUNDLE (ca_bundle in the profile): " + pem.error().message);
  const std::unique_ptr<BIO, decltype(&BIO_free)> bio(BIO_new_mem_buf(pem->data(), static_cast<int>(pem->size())),
                                                      &BIO_free);
  size_t certificates = 0;
  while (X509* certificate = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)) {
    X509_free(certificate);
    ++certificates;
  }
  const bool ended = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  if (certificates > 0 && ended) return pem;
  return fail(Code::kInvalid, "AWS_CA_BUNDLE (ca_bundle in the profile): " + path +
                                  (certificates == 0 ? " holds no certificate in PEM"
                                                     : ": the certificate after " + std::to_string(certificates) +
                                                           " good ones cannot be read"));
}

Result<std::string> read_small_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(Code::kNotFound, "cannot read " + path);
  std::string bytes(kMaxSmallFile + 1, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<size_t>(file.gcount()));
  if (bytes.size() > kMaxSmallFile) return fail(Code::kInvalid, path + " is larger than 1 MiB");
  return bytes;
}

Result<std::string> find_region(const Environment& environment) {
  for (const char* variable : {"AWS_REGION", "AWS_DEFAULT_REGION"}) {
    const std::string region = environment(variable);
    if (!region.empty()) return region;
  }
  const Profiles profiles = TRY(load_profiles(environment));
  const auto profile = profiles.find(profile_name(environment));
  if (profile != profiles.end()) {
    const auto region = profile->second.find("region");
    if (region != profile->second.end() && !region->second.empty()) return region->second;
  }
  return fail(Code::kNotFound, "no AWS region: set AWS_REGION, or region in the profile " + profile_name(environment));
}

}  // namespace tenon::aws
