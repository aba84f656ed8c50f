// SPDX-License-Identifier: Apache-2.0
#include "metrics/process.h"

#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace tenon::metrics {
namespace {

std::string read_file(const char* path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Returns when the machine started, in seconds since 1970; 0 if it is unknown.
double boot_time() {
  const std::string text = read_file("/proc/stat");
  const size_t at = text.find("\nbtime ");
  double seconds = 0;
  if (at != std::string::npos) std::from_chars(text.data() + at + 7, text.data() + text.size(), seconds);
  return seconds;
}

double limit_of(int resource) {
  rlimit limit{};
  if (::getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return -1;
  return static_cast<double>(limit.rlim_cur);
}

double open_files() {
  std::error_code error;
  double count = 0;
  for (auto entry = std::filesystem::directory_iterator("/proc/self/fd", error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    ++count;
  }
  return count - 1;  // without the one that reads the folder
}

class Process final : public Collector {
 public:
  explicit Process(Registry& registry)
      : cpu_(registry.counter({"process_cpu_seconds_total", "Seconds of CPU time that the process has used."})),
        resident_(registry.gauge({"process_resident_memory_bytes", "Bytes of the process in memory."})),
        virtual_(registry.gauge({"process_virtual_memory_bytes", "Bytes of the process's address space in use."})),
        most_virtual_(registry.gauge(
            {"process_virtual_memory_max_bytes", "Limit of the process's address space in bytes; -1: none."})),
        files_(registry.gauge({"process_open_fds", "Open file descriptors."})),
        most_files_(registry.gauge({"process_max_fds", "Limit of open file descriptors."})),
        started_(registry.gauge({"process_start_time_seconds", "Start of the process, in seconds since 1970."})),
        boot_(boot_time()) {}

  void before_text() override {
    const auto stat = parse_process_stat(read_file("/proc/self/stat"));
    if (!stat) return;
    const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
    const double used = (stat->user_ticks + stat->system_ticks) / ticks;
    if (used > cpu_.value()) cpu_.add({}, used - cpu_.value());
    resident_.set(stat->resident_pages * static_cast<double>(::sysconf(_SC_PAGESIZE)));
    virtual_.set(stat->virtual_bytes);
    most_virtual_.set(limit_of(RLIMIT_AS));
    files_.set(open_files());
    most_files_.set(limit_of(RLIMIT_NOFILE));
    started_.set(boot_ + stat->start_ticks / ticks);
  }
  void after_text() override {}

 private:
  Counter& cpu_;
  Gauge &resident_, &virtual_, &most_virtual_, &files_, &most_files_, &started_;
  const double boot_;
};

}  // namespace

std::shared_ptr<Collector> collect_process(Registry& registry) {
  auto process = std::make_shared<Process>(registry);
  registry.add(process);
  return process;
}

// "PID (NAME) STATE FIELD …": the name may hold spaces and parentheses. The state is field 3 of proc(5).
std::optional<ProcessStat> parse_process_stat(std::string_view text) {
  const size_t name_end = text.rfind(") ");
  if (name_end == std::string_view::npos) return std::nullopt;
  std::istringstream fields{std::string(text.substr(name_end + 2))};
  ProcessStat stat;
  std::string field;
  int number = 3;
  for (; number <= 24 && fields >> field; ++number) {
    double* to = number == 14   ? &stat.user_ticks
                 : number == 15 ? &stat.system_ticks
                 : number == 22 ? &stat.start_ticks
                 : number == 23 ? &stat.virtual_bytes
                 : number == 24 ? &stat.resident_pages
                                : nullptr;
    if (to && std::from_chars(field.data(), field.data() + field.size(), *to).ec != std::errc()) return std::nullopt;
  }
  if (number <= 24) return std::nullopt;
  return stat;
}

}  // namespace tenon::metrics
