// SPDX-License-Identifier: Apache-2.0
#include "cli/options/config_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include "json/json.h"
#include "json/yaml.h"
#include "json/yaml_lines.h"

namespace tenon::cli {
namespace {

// Returns a scalar as people write it: 0.02, where JSON's serializer writes 2E-2.
std::string text_of(const json::value& scalar) {
  if (scalar.is_string()) return std::string(scalar.as_string());
  return scalar.is_double() ? fmt::format("{}", scalar.as_double()) : boost::json::serialize(scalar);
}

}  // namespace

Result<std::vector<ConfigSetting>> parse_config(std::string_view text) {
  const auto documents = TRY(json::parse_yaml(text));
  std::vector<ConfigSetting> settings;
  if (documents.empty()) return settings;
  if (documents.size() > 1) return fail(Code::kInvalid, "more than one YAML document");
  if (!documents[0].is_object())
    return fail(Code::kInvalid, "not a mapping of options, such as \"cluster-name: demo\"");
  const json::YamlLines lines(text);
  for (const auto& [key, value] : documents[0].as_object()) {
    const size_t line = lines.of(1, key);
    if (value.is_object() || value.is_array() || value.is_null()) {
      return fail(Code::kInvalid, "line " + std::to_string(line) + ": " + std::string(key) +
                                      ": the value must be a text, a number, true or false");
    }
    settings.push_back({std::string(key), text_of(value), line});
  }
  return settings;
}

Result<std::vector<ConfigSetting>> read_config_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  const bool empty = file && file.peek() == EOF && !file.bad();  // operator<< reports no characters as a failure
  if (!empty && (!file || !(text << file.rdbuf()))) {
    return fail(Code::kInvalid, path + ": cannot be read: " + std::strerror(errno == 0 ? EIO : errno));
  }
  if (text.view().size() > kMaxConfigBytes) return fail(Code::kInvalid, path + ": larger than 1 MiB");
  return TRY_IN(path, parse_config(text.view()));
}

}  // namespace tenon::cli
