// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <thread>

#include "cli/profiling/cpu_sampler.h"
#include "cli/profiling/handler.h"
#include "cli/profiling/pprof.h"
#include "cli/profiling/symbols.h"
#include "http/loopback_transport.h"

namespace tenon::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// Uses the CPU until it is destroyed.
class Busy {
 public:
  ~Busy() { done_ = true; }

 private:
  std::atomic<bool> done_ = false;
  std::jthread thread_{[this] {
    while (!done_) ++turns_;
  }};
  std::atomic<uint64_t> turns_ = 0;
};

TEST(CpuSampler, FindsTheStackOfAThreadThatWorks) {
  const Busy busy;
  const std::vector<Mapping> known = mappings();
  int64_t samples = 0, in_a_file = 0;
  bool callers = false;
  while (samples < 5) {  // a machine that is busy itself gives the thread little time
    const auto profile = sample_cpu(100ms, {});
    ASSERT_TRUE(profile) << profile.error().message;
    EXPECT_EQ(profile->lost, 0);
    for (const auto& [stack, count] : profile->samples) {
      samples += count;
      callers |= stack.size() > 1;
      for (const Mapping& one : known) in_a_file += one.start <= stack.front() && stack.front() < one.limit ? count : 0;
    }
  }
  EXPECT_GE(in_a_file * 10, samples * 8) << "the code that ran is that of a file";
  EXPECT_TRUE(callers) << "the callers are known";
}

TEST(CpuSampler, OneAtATimeAndStopsWhenAsked) {
  std::stop_source stop;
  std::atomic<bool> busy = false;
  Code ended{};
  std::jthread first([&] {
    do {  // the other thread may be the first one
      const auto profile = sample_cpu(1h, stop.get_token());
      if (!profile) ended = profile.error().code;
    } while (ended == Code::kUnavailable);
  });
  while (!busy) {
    const auto second = sample_cpu(1ns, {});
    busy = !second && second.error().code == Code::kUnavailable;
  }
  stop.request_stop();
  first.join();
  EXPECT_EQ(ended, Code::kCancelled);
  EXPECT_TRUE(sample_cpu(1ns, {})) << "and then the next one";
}

TEST(Pprof, MappingsAreThoseOfCode) {
  const auto found = parse_mappings(
      "55d0-55e0 r--p 00000000 08:01 12 /usr/bin/tenon\n"
      "55e0-55f0 r-xp 00000010 08:01 12                         /usr/bin/tenon\n"
      "7f00-7f10 rw-p 00000000 00:00 0 \n"
      "7f10-7f20 r-xp 00000000 00:00 0                          [vdso]\n");
  EXPECT_THAT(found, ElementsAre(Mapping{0x55e0, 0x55f0, 0x10, "/usr/bin/tenon"}));
}

// The bytes by hand, after profile.proto.
TEST(Pprof, AProfileIsOneMessage) {
  CpuProfile profile;
  profile.samples[{0x10, 0x11}] = 3;
  profile.period = Duration(2);
  profile.lasted = Duration(5);
  const std::string bytes =
      encode_pprof(profile, {{0x10, 0x20, 0, "/t"}}, 7, [](uint64_t at) { return at == 0x11 ? "f" : ""; });
  const std::string expected = std::string("\x0a\x04\x08\x01\x10\x02", 6) +  // sample type: samples, count
                               std::string("\x0a\x04\x08\x03\x10\x04", 6) +  // sample type: cpu, nanoseconds
                               // the sample: locations 1 and 2; 3 times, 6 ns
                               std::string("\x12\x08\x0a\x02\x01\x02\x12\x02\x03\x06", 10) +
                               std::string("\x1a\x0a\x08\x01\x10\x10\x18\x20\x20\x00\x28\x05", 12) +  // mapping 1
                               std::string("\x22\x06\x08\x01\x10\x01\x18\x10", 8) +                   // location 1
                               // location 2, in function 1
                               std::string("\x22\x0a\x08\x02\x10\x01\x18\x11\x22\x02\x08\x01", 12) +
                               std::string("\x2a\x04\x08\x01\x10\x06", 6) +  // function 1: string 6
                               // time, duration, type and length of the period
                               std::string("\x48\x07\x50\x05\x5a\x04\x08\x03\x10\x04\x60\x02", 12) +
                               std::string("\x32\x00", 2) + "\x32\x07samples" + "\x32\x05" + "count" + "\x32\x03" +
                               "cpu" + "\x32\x0bnanoseconds" + "\x32\x02/t" + "\x32\x01" + "f";
  EXPECT_EQ(bytes, expected);
}

TEST(Symbols, NameTheFunctionsOfThisProgramAndOfLibraries) {
  const Symbols symbols(mappings());
  const auto at = [](auto* function) { return reinterpret_cast<uint64_t>(reinterpret_cast<void*>(function)); };
  EXPECT_THAT(symbols.name_at(at(&parse_mappings)), HasSubstr("tenon::cli::parse_mappings("));
  EXPECT_EQ(symbols.name_at(1), "");
}

class Inner : public http::Handler {
 public:
  void serve(const http::ServerRequest&, http::ResponseWriter& writer, const std::stop_token&) override {
    writer.respond({200, {}, "inner"});
  }
};

http::Response ask(const std::string& path, const std::string& method = "GET") {
  Inner inner;
  ProfilingHandler handler(inner, [] { return ObjectCounts{{"Pod", 42}}; });
  const auto transport = http::make_loopback_transport({{"tenon", &handler}});
  http::Request request;
  request.method = method;
  request.url = "http://tenon" + path;
  return transport->send(request, {}).value();
}

TEST(Profiling, EndpointsBesideTheMetrics) {
  EXPECT_EQ(ask("/metrics").body, "inner");
  EXPECT_EQ(ask("/debug/pprofx").body, "inner");
  EXPECT_THAT(ask("/debug/pprof/").body, HasSubstr("profile?seconds=30"));
  EXPECT_THAT(ask("/debug/pprof/heap").body, HasSubstr("allocated and in use"));
  EXPECT_THAT(ask("/debug/pprof/heap").body, ::testing::ContainsRegex("Pod +42\n"));
  EXPECT_THAT(ask("/debug/pprof/cmdline").body, HasSubstr("cli_test"));
  EXPECT_EQ(ask("/debug/pprof/goroutine").status, 404);
  EXPECT_EQ(ask("/debug/pprof/heap", "POST").status, 405);
  for (const char* wrong : {"0", "301", "x", ""}) {
    EXPECT_EQ(ask("/debug/pprof/profile?seconds=" + std::string(wrong)).status, 400) << wrong;
  }
}

TEST(Profiling, AProfileIsServed) {
  const Busy busy;
  const http::Response answer = ask("/debug/pprof/profile?seconds=1");
  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.body, HasSubstr("nanoseconds"));
  EXPECT_THAT(answer.body, HasSubstr("cli_test"));
  EXPECT_THAT(answer.body, HasSubstr("Busy::")) << "the thread that works has a name";
}

}  // namespace
}  // namespace tenon::cli
