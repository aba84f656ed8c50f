// SPDX-License-Identifier: Apache-2.0
#include "runtime/subprocess.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace tenon::runtime {
namespace {

Program sh(const std::string& script) { return {.words = {"sh", "-c", script}}; }

TEST(RunProgram, UsesNoShellAndHidesWhatFails) {
  EXPECT_EQ(*run_program({.words = {"/bin/echo", "$HOME; `id`"}}, 5s, {}), "$HOME; `id`\n");
  EXPECT_EQ(*run_program(sh("echo out; echo process-secret >&2"), 5s, {}), "out\n");
  EXPECT_EQ(run_program(sh("echo process-secret; echo process-secret >&2; exit 3"), 5s, {}).error().message,
            "sh: exit status 3");
  const auto missing = run_program({.words = {"/nonexistent/x"}}, 5s, {});
  EXPECT_EQ(missing.error().code, Code::kNotFound);
  EXPECT_EQ(missing.error().message, "/nonexistent/x: cannot be started: No such file or directory");
  EXPECT_EQ(run_program(sh("kill -9 $$"), 5s, {}).error().message, "sh: ended by signal 9");
}

TEST(RunProgram, EndsWithItsChildrenAtTheTimeOutAndOnStop) {
  const auto late = run_program(sh("sleep 60 & sleep 60"), 50ms, {});
  EXPECT_EQ(late.error().message, "sh: no answer within 50ms");
  EXPECT_EQ(late.error().code, Code::kTimeout);
  const auto lingering = run_program(sh("exec >&-; sleep 60"), 50ms, {});
  EXPECT_EQ(lingering.error().message, "sh: no output, and no end");
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(run_program({.words = {"sleep", "60"}}, 60s, stop.get_token()).error().code, Code::kCancelled);
}

TEST(RunProgram, VariablesOverrideThoseOfTheProcess) {
  ::setenv("SUBPROCESS_TEST_A", "process", 1);
  ::setenv("SUBPROCESS_TEST_B", "process", 1);
  Program program = sh("echo $SUBPROCESS_TEST_A $SUBPROCESS_TEST_B $SUBPROCESS_TEST_C");
  program.environment = {{"SUBPROCESS_TEST_A", "program"}, {"SUBPROCESS_TEST_C", "a=b c"}};
  EXPECT_EQ(*run_program(program, 5s, {}), "program process a=b c\n");
}

TEST(RunProgram, QuotesTheEndOfTheStandardErrorWithoutSecrets) {
  const auto message = [](const std::string& script) {
    Program program = sh(script);
    program.quotes_errors = true;
    return run_program(program, 5s, {}).error().message;
  };
  EXPECT_EQ(message("echo secret; echo 'not logged' >&2; echo 'in today' >&2; exit 1"),
            "sh: exit status 1: not logged in today");
  const std::string token(kMaxQuotedWord + 1, 'k');
  EXPECT_EQ(message("echo 'bad token " + token + " here' >&2; exit 1"), "sh: exit status 1: bad token [...] here");
  // More than a pipe holds, so that it must be read while the program runs.
  const std::string long_one = message("yes 0123456789 | head -c 300000 >&2; echo the end >&2; exit 1");
  EXPECT_LT(long_one.size(), kMaxQuotedErrors + 40);
  EXPECT_THAT(long_one, ::testing::EndsWith("the end"));
}

}  // namespace
}  // namespace tenon::runtime
