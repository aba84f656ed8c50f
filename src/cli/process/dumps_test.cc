// SPDX-License-Identifier: Apache-2.0
#include "cli/process/dumps.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace tenon::cli {
namespace {

TEST(Dumps, AreForbiddenAndTheProcessStillSeesItself) {
  const pid_t child = ::fork();  // the setting would outlive the test
  ASSERT_GE(child, 0);
  if (child == 0) {
    int wrong = 0;
    if (!forbid_dumps()) wrong |= 1;
    if (::prctl(PR_GET_DUMPABLE) != 0) wrong |= 2;
    std::error_code problem;  // metrics count the open descriptors
    if (std::filesystem::directory_iterator("/proc/self/fd", problem) == std::filesystem::directory_iterator())
      wrong |= 4;
    ::_exit(wrong);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace tenon::cli
