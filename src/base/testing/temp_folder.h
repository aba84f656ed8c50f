// SPDX-License-Identifier: Apache-2.0
// TempFolder: a folder of one test, removed by its destructor. Tests run in parallel processes, so a fixed name would
// be shared.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/check.h"

namespace tenon {

class TempFolder {
 public:
  TempFolder() : path_((std::filesystem::temp_directory_path() / "tenon-test-XXXXXX").string()) {
    CHECK(mkdtemp(path_.data()) != nullptr, "mkdtemp");
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  // Replaces the text of the file. Returns the path.
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(file(name), std::ios::trunc) << text;
    return file(name);
  }

 private:
  std::string path_;
};

}  // namespace tenon
