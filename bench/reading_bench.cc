// Reads a saved cluster as `tenon plan -f` does, up to the snapshot.
//
//   reading_bench FILE RUNS    one line of JSON: the fastest of the runs in processor time of its one thread, and
//                              the peak memory of all of them
// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <iostream>

#include "cli/plan/plan_input.h"
#include "cli/process/heap.h"

namespace tenon::bench {
namespace {

struct Size {
  size_t nodes = 0, pods = 0;
};

Result<Size> read(const std::string& file) {
  cli::InputOptions options;
  options.types = std::make_shared<const std::vector<model::InstanceType>>();
  options.now = *parse_rfc3339("2026-09-01T12:00:00Z");
  cli::PlanInputReader reader(options);
  TRY(cli::read_documents({file}, std::cin, reader));
  const cli::PlanInput input = TRY(reader.finish(options));
  Size size{input.snapshot.nodes.size(), input.snapshot.pending.size()};
  for (const auto& node : input.snapshot.nodes) size.pods += node.pods.size();
  return size;
}

double peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  constexpr double kKibPerMib = 1024;
  return static_cast<double>(usage.ru_maxrss) / kKibPerMib;
}

int run(const std::string& file, int runs) {
  cli::merge_freed_blocks();
  double fastest = 0;
  Size size;
  for (int i = 0; i < std::max(runs, 1); ++i) {
    const std::clock_t before = std::clock();
    const Result<Size> done = read(file);
    const double seconds = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    if (!done) {
      std::cerr << "reading_bench: " << done.error().message << "\n";
      return 1;
    }
    size = *done;
    fastest = i == 0 ? seconds : std::min(fastest, seconds);
  }
  constexpr double kBytesPerMb = 1e6;
  const double mb = static_cast<double>(std::filesystem::file_size(file)) / kBytesPerMb;
  std::cout << R"({"file": ")" << std::filesystem::path(file).filename().string() << R"(", "mb": )" << mb
            << R"(, "nodes": )" << size.nodes << R"(, "pods": )" << size.pods << R"(, "seconds": )" << fastest
            << R"(, "mb_per_second": )" << mb / fastest << R"(, "peak_mib": )" << peak_mib() << "}\n";
  return 0;
}

}  // namespace
}  // namespace tenon::bench

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: reading_bench FILE RUNS\n";
    return 2;
  }
  return tenon::bench::run(argv[1], std::atoi(argv[2]));
}
