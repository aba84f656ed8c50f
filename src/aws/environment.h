// What AWS SDKs read from the process's surroundings: variables and the shared ini files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tenon::aws {

// The value of a variable; empty if it is not set.
using Environment = std::function<std::string(const std::string& name)>;
Environment process_environment();

using Profile = std::map<std::string, std::string, std::less<>>;
using Profiles = std::map<std::string, Profile, std::less<>>;

// "[default]", "[profile dev]" or "[dev]" sections of "key = value" lines; '#' and ';' start comments; keys become
// lower case; indented lines under a key without a value are sub-settings and are skipped.
// Errors: kInvalid: "line 3: …".
Result<Profiles> parse_profiles(std::string_view text);
// ~/.aws/credentials and ~/.aws/config (AWS_SHARED_CREDENTIALS_FILE, AWS_CONFIG_FILE), the former winning. Files that
// do not exist are empty. Errors: kInvalid, naming the file.
Result<Profiles> load_profiles(const Environment& environment);
// AWS_PROFILE, AWS_DEFAULT_PROFILE, or "default".
std::string profile_name(const Environment& environment);

// `environment`, with what the profile sets of the variables that are not set: AWS_USE_FIPS_ENDPOINT is
// use_fips_endpoint there, and so on (environment.cc has the list). The files are read now. Errors: those of
// load_profiles.
Result<Environment> with_profile(Environment environment);

// The certificates that AWS_CA_BUNDLE names, as PEM; empty if it is not set. They replace the system's trust store.
// Errors: kInvalid, naming the variable and the file: it cannot be read, or a certificate in it cannot, or it has none.
Result<std::string> read_ca_bundle(const Environment& environment);

// A file's bytes, at most kMaxSmallFile. Errors: kNotFound, kInvalid (too large), both naming the path.
inline constexpr size_t kMaxSmallFile = size_t{1} << 20;
Result<std::string> read_small_file(const std::string& path);

// AWS_REGION, AWS_DEFAULT_REGION, the profile's region. Errors: kNotFound: none is set; those of load_profiles.
Result<std::string> find_region(const Environment& environment);

}  // namespace tenon::aws
