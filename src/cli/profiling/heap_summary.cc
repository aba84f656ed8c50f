// SPDX-License-Identifier: Apache-2.0
#include "cli/profiling/heap_summary.h"

#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>

namespace tenon::cli {
namespace {

constexpr double kMiB = 1 << 20;

std::string row(const char* what, double bytes) { return fmt::format("{:<44} {:>10.1f} MiB\n", what, bytes / kMiB); }

}  // namespace

std::string heap_summary(const ObjectCounts& objects) {
  const auto info = ::mallinfo2();
  uint64_t size = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  std::string out = "memory of this process\n";
  out += row("resident", static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE)));
  out += row("allocated and in use", static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd));
  out += row("  of it in blocks of their own (mmap)", static_cast<double>(info.hblkhd));
  out += row("freed, kept by the allocator", static_cast<double>(info.fordblks));
  out += row("  of it returned to the system on demand", static_cast<double>(info.keepcost));
  out += "\nobjects in the caches\n";
  for (const auto& [name, count] : objects) out += fmt::format("{:<44} {:>10}\n", name, count);
  return out;
}

}  // namespace tenon::cli
