// SPDX-License-Identifier: Apache-2.0
#include "metrics/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>

namespace tenon::metrics {
namespace {

TEST(ProcessStat, IsParsedDespiteTheName) {
  const auto stat = parse_process_stat(
      "42 (a) (b c) S 1 42 42 0 -1 4194304 100 0 0 0 250 50 0 0 20 0 8 0 12345 1048576 77 18446744073709551615 1");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->user_ticks, 250);
  EXPECT_EQ(stat->system_ticks, 50);
  EXPECT_EQ(stat->start_ticks, 12345);
  EXPECT_EQ(stat->virtual_bytes, 1048576);
  EXPECT_EQ(stat->resident_pages, 77);
  for (const char* broken : {"", "42 (a", "42 (a) S 1 2 3", "42 (a) S 1 42 42 0 -1 4 1 0 0 0 x 50 0 0 20 0 8 0 1 1 77"})
    EXPECT_FALSE(parse_process_stat(broken)) << broken;
}

TEST(Process, MeasuresThisOne) {
  Registry registry;
  const auto process = collect_process(registry);
  volatile double work = 0;
  const auto value = [&](const char* name) { return registry.gauge({name, ""}).value(); };
  // CPU time is counted in ticks of 10 ms.
  for (int i = 0; registry.counter({"process_cpu_seconds_total", ""}).value() == 0 && i < 1000; ++i) {
    for (int k = 0; k < 1'000'000; ++k) work = work + k;
    (void)registry.text();
  }
  EXPECT_GT(registry.counter({"process_cpu_seconds_total", ""}).value(), 0);
  EXPECT_GT(value("process_resident_memory_bytes"), 1e6);
  EXPECT_GE(value("process_virtual_memory_bytes"), value("process_resident_memory_bytes"));
  EXPECT_GT(value("process_max_fds"), value("process_open_fds"));
  const double now = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  EXPECT_GT(value("process_start_time_seconds"), now - 3600);
  EXPECT_LE(value("process_start_time_seconds"), now + 2);
  const double before = value("process_open_fds");
  const int copy = ::dup(0);
  (void)registry.text();
  EXPECT_EQ(value("process_open_fds"), before + 1);
  ::close(copy);
}

}  // namespace
}  // namespace tenon::metrics
