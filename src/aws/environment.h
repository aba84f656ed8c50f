// Configuration from the process's environment, as AWS SDKs read it: variables and the shared ini files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tenon::aws {

// Returns the value of a variable; empty if it is not set.
using Environment = std::function<std::string(const std::string& name)>;
Environment process_environment();

using Profile = std::map<std::string, std::string, std::less<>>;
using Profiles = std::map<std::string, Profile, std::less<>>;

// Parses "[default]", "[profile dev]" or "[dev]" sections of "key = value" lines. '#' and ';' start comments; keys
// become lower case; indented lines are sub-settings and are skipped.
// Errors: kInvalid: "line 3: …".
Result<Profiles> parse_profiles(std::string_view text);
// Reads ~/.aws/credentials and ~/.aws/config (AWS_SHARED_CREDENTIALS_FILE, AWS_CONFIG_FILE); the former takes
// precedence. Missing files count as empty. Errors: kInvalid, with the file.
Result<Profiles> load_profiles(const Environment& environment);
// AWS_PROFILE, AWS_DEFAULT_PROFILE, or "default".
std::string profile_name(const Environment& environment);

// Returns `environment`, in which the profile supplies variables that are not set: use_fips_endpoint for
// AWS_USE_FIPS_ENDPOINT, and so on (environment.cc has the list). Reads the files at the call. Errors: those of
// load_profiles.
Result<Environment> with_profile(Environment environment);

// Returns the certificates of the file in AWS_CA_BUNDLE, as PEM; empty if it is not set. They replace the system's
// trust store. Errors: kInvalid, with variable and file: the file or a certificate in it cannot be read, or it has no
// certificate.
Result<std::string> read_ca_bundle(const Environment& environment);

// Returns a file's bytes, at most kMaxSmallFile. Errors: kNotFound, kInvalid (too large), both with the path.
inline constexpr size_t kMaxSmallFile = size_t{1} << 20;
Result<std::string> read_small_file(const std::string& path);

// AWS_REGION, AWS_DEFAULT_REGION, or the profile's region. Errors: kNotFound if none is set; those of load_profiles.
Result<std::string> find_region(const Environment& environment);

}  // namespace tenon::aws
