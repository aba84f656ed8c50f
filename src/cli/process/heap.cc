// SPDX-License-Identifier: Apache-2.0
#include "cli/process/heap.h"

#include <malloc.h>

namespace tenon::cli {
namespace {

// glibc raises this threshold to the size of each large block that is freed, up to 32 MiB. A page of a list would then
// come from the heap, and the objects decoded from it would lie behind it.
constexpr int kOwnMapping = 128 * 1024;
// By default freed small blocks are collected, and each larger request merges all of them: with thousands of pods that
// took more time than the requests themselves.
constexpr int kLargestCollected = 0;
// The default is eight for each processor: hundreds on a large machine, each with holes of its own.
constexpr int kArenas = 4;

}  // namespace

void tune_heap() {
  ::mallopt(M_MMAP_THRESHOLD, kOwnMapping);
  ::mallopt(M_ARENA_MAX, kArenas);
  merge_freed_blocks();
}

void merge_freed_blocks() { ::mallopt(M_MXFAST, kLargestCollected); }

void trim_heap() { ::malloc_trim(0); }

}  // namespace tenon::cli
