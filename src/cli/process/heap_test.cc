// SPDX-License-Identifier: Apache-2.0
#include "cli/process/heap.h"

#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <vector>

namespace tenon::cli {
namespace {

constexpr size_t kKiB = 1024, kMiB = 1024 * kKiB;
using Block = std::unique_ptr<char[]>;

Block block(size_t size) {
  Block made(new char[size]);
  for (size_t i = 0; i < size; i += 512) made[i] = 1;  // resident
  return made;
}

size_t resident() {
  size_t total = 0, pages = 0;
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen("/proc/self/statm", "r"), &std::fclose);
  if (!file || std::fscanf(file.get(), "%zu %zu", &total, &pages) != 2) return 0;
  return pages * size_t(::sysconf(_SC_PAGESIZE));
}

// Returns the sum of what is wrong. In a process of its own: the settings would outlive the test.
int wrong_in_a_tuned_process() {
  int wrong = 0;
  tune_heap();
  block(16 * kMiB).reset();  // this would raise the threshold to 16 MiB
  const size_t mapped = ::mallinfo2().hblks;
  const Block large = block(kMiB);
  if (::mallinfo2().hblks != mapped + 1) wrong |= 1;
  std::vector<Block> blocks;
  for (int i = 0; i < 64 * 1024; ++i) blocks.push_back(block(kKiB));
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (i % 64 != 0) blocks[i].reset();
  }
  const size_t before = resident();
  trim_heap();
  if (before - resident() < 32 * kMiB || before < 64 * kMiB) wrong |= 2;
  blocks.clear();
  for (int i = 0; i < 64; ++i) blocks.push_back(block(32));
  blocks.clear();
  if (::mallinfo2().fsmblks != 0) wrong |= 4;  // more than a thread caches for itself
  return wrong;
}

TEST(Heap, HasNoLargeBlocksReturnsItsHolesAndCollectsNothing) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  tune_heap();  // a sanitizer has an allocator of its own, which these calls must not disturb
  trim_heap();
#else
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) ::_exit(wrong_in_a_tuned_process());
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
#endif
}

}  // namespace
}  // namespace tenon::cli
