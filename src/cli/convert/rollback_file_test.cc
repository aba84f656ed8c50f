// SPDX-License-Identifier: Apache-2.0
#include "cli/convert/rollback_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/testing/temp_folder.h"

namespace tenon::cli {
namespace {

using ::testing::HasSubstr;

TEST(RollbackFile, IsReadBackAndReplaced) {
  const TempFolder folder;
  const std::string path = folder.file("rollback.yaml");
  EXPECT_EQ(*read_rollback_file(path), std::nullopt);
  for (const char* text : {"a: 1\n", ""}) {
    ASSERT_TRUE(write_rollback_file(path, text));
    EXPECT_EQ(*read_rollback_file(path), text);
  }
  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(path).permissions(), perms::owner_read | perms::owner_write);
}

TEST(RollbackFile, ErrorsNameThePath) {
  const TempFolder folder;
  const Status written = write_rollback_file(folder.file("absent/rollback.yaml"), "a: 1\n");
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("absent/rollback.yaml"));
  const auto read = read_rollback_file(folder.path());
  ASSERT_FALSE(read) << "a folder";
  EXPECT_THAT(read.error().message, HasSubstr(folder.path()));
}

}  // namespace
}  // namespace tenon::cli
