// SPDX-License-Identifier: Apache-2.0
#include "cli/install/chart_files.h"

#include <string>

#include "base/check.h"
#include "json/json.h"
#include "json/yaml.h"

namespace tenon::embedded {
std::vector<std::pair<std::string_view, std::string_view>> chart_files();  // cmake/embed.cmake
}

namespace tenon::cli::install {

std::string_view chart_file(std::string_view name) {
  for (const auto& [file, text] : embedded::chart_files()) {
    if (file == name) return text;
  }
  CHECK(false, "no file of the chart: " + std::string(name));
}

std::vector<json::value> chart_objects(std::string_view name) {
  auto documents = json::parse_yaml(chart_file(name));
  CHECK(documents.has_value(), "a file of the chart cannot be read: " + std::string(name));
  return std::move(*documents);
}

}  // namespace tenon::cli::install
