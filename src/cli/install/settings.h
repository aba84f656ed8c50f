// The KEY=VALUE pairs of --set, and their check against the keys that a part of the installation has.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace tenon::cli::install {

// In the order of the command line; a key can repeat. Keys keep the backslashes with which helm escapes dots.
using Settings = std::vector<std::pair<std::string, std::string>>;

// Reads "a=1" and, as helm does, "a=1,b=2"; "\," is a comma of a value. Errors: kInvalid, which names the argument.
Result<Settings> parse_settings(std::span<const std::string> arguments);

// A key with a single value.
struct Key {
  std::string_view name;           // "clusterName"
  std::string_view help;           // for the list of known keys
  std::string_view fallback = {};  // may contain ${other}, the value of a key in a row above
  // A valid value matches it entirely (ECMAScript); empty: any value.
  std::string_view pattern = {};
  std::string_view expected = {};  // what the pattern accepts, in words
};

using Values = std::map<std::string, std::string, std::less<>>;

// Returns a value for each key: the last one that is set, else the fallback. Errors: kInvalid, which names an unknown
// key and lists the known ones, or names the key whose value is missing or does not match.
Result<Values> read_values(std::span<const Key> keys, const Settings& settings);

// Replaces each ${name} by its value. CHECKs that each name has one.
std::string substitute(std::string_view text, const Values& values);

}  // namespace tenon::cli::install
