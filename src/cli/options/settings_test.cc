// SPDX-License-Identifier: Apache-2.0
#include "cli/options/testing/settings.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace tenon::cli {
namespace {

TEST(SettingsReference, IsThePageInTheDocuments) {
  std::ifstream file(TENON_SOURCE_DIR "/docs/reference/settings.md");
  std::stringstream committed;
  committed << file.rdbuf();
  const std::string page = testing::settings_page();
  const auto left = std::filesystem::temp_directory_path() / "tenon-settings.md";
  std::filesystem::remove(left);
  if (committed.str() == page) return;
  std::ofstream(left) << page;
  FAIL() << "docs/reference/settings.md differs from the table. If that is meant: cp " << left.string()
         << " docs/reference/settings.md";
}

}  // namespace
}  // namespace tenon::cli
