// SPDX-License-Identifier: Apache-2.0
#include "cli/install/settings.h"

#include <algorithm>
#include <regex>

#include "base/check.h"
#include "base/text.h"

namespace tenon::cli::install {
namespace {

// Splits at commas without a backslash before them and outside of {a,b}, a list.
std::vector<std::string> pairs_of(std::string_view argument) {
  std::vector<std::string> pairs(1);
  for (size_t i = 0; i < argument.size(); ++i) {
    if (argument.substr(i).starts_with("\\,")) {
      pairs.back() += ',';
      ++i;
    } else if (argument[i] == ',' && !(pairs.back().find("={") != std::string::npos && !pairs.back().ends_with('}'))) {
      pairs.emplace_back();
    } else {
      pairs.back() += argument[i];
    }
  }
  return pairs;
}

std::string known_keys(std::span<const Key> keys) {
  std::string text;
  for (const Key& key : keys) {
    text += "\n  " + std::string(key.name) + ": " + std::string(key.help);
    if (!key.fallback.empty()) text += " (default " + std::string(key.fallback) + ")";
  }
  return text;
}

bool matches(const Key& key, const std::string& value) {
  return key.pattern.empty() || std::regex_match(value, std::regex(std::string(key.pattern)));
}

}  // namespace

Result<Settings> parse_settings(std::span<const std::string> arguments) {
  Settings settings;
  for (const std::string& argument : arguments) {
    for (const std::string& pair : pairs_of(argument)) {
      const auto [key, value] = cut(pair, '=');
      if (key.empty() || pair.find('=') == std::string::npos) {
        const std::string hint =
            argument.find(',') == std::string::npos ? "" : R"(; a comma in a value is '\,', in quotes)";
        return fail(Code::kInvalid, "--set " + argument + ": \"" + pair + "\" is not KEY=VALUE" + hint);
      }
      settings.emplace_back(key, value);
    }
  }
  return settings;
}

Result<Values> read_values(std::span<const Key> keys, const Settings& settings) {
  Values values;
  for (const auto& [name, value] : settings) {
    if (std::none_of(keys.begin(), keys.end(), [&](const Key& key) { return key.name == name; })) {
      return fail(Code::kInvalid, "--set: unknown key " + name + "; known keys:" + known_keys(keys));
    }
    values[name] = value;
  }
  for (const Key& key : keys) {
    const std::string name(key.name);
    if (!values.contains(name)) values[name] = substitute(key.fallback, values);
    const std::string& value = values[name];
    if (matches(key, value)) continue;
    const std::string what = value.empty() ? "a value is required" : "\"" + value + "\" is invalid";
    return fail(Code::kInvalid, "--set " + name + ": " + what + "; expected: " + std::string(key.expected));
  }
  return values;
}

std::string substitute(std::string_view text, const Values& values) {
  std::string out;
  while (true) {
    const size_t start = text.find("${");
    out += text.substr(0, start);
    if (start == std::string_view::npos) return out;
    const size_t end = text.find('}', start);
    CHECK(end != std::string_view::npos, "a template has an open ${");
    const std::string_view name = text.substr(start + 2, end - start - 2);
    const auto found = values.find(name);
    CHECK(found != values.end(), "a template names an unknown value, " + std::string(name));
    out += found->second;
    text.remove_prefix(end + 1);
  }
}

}  // namespace tenon::cli::install
