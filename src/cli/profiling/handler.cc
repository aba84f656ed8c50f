// SPDX-License-Identifier: Apache-2.0
#include "cli/profiling/handler.h"

#include <charconv>
#include <chrono>
#include <fstream>
#include <optional>
#include <sstream>

#include "base/text.h"
#include "cli/profiling/cpu_sampler.h"
#include "cli/profiling/symbols.h"

namespace tenon::cli {
namespace {

constexpr std::string_view kRoot = "/debug/pprof";
constexpr const char* kIndex =
    "profile?seconds=30   CPU profile: go tool pprof BINARY http://ADDRESS/debug/pprof/profile\n"
    "heap                 summary of the memory\n"
    "cmdline              the command and its arguments\n";

// Returns the seconds of the query; std::nullopt: they are not valid.
std::optional<int> seconds_of(std::string_view query) {
  for (const std::string_view one : split(query, '&')) {
    const auto [name, value] = cut(one, '=');
    if (name != "seconds") continue;
    int seconds = 0;
    const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), seconds);
    if (problem != std::errc() || end != value.data() + value.size()) return std::nullopt;
    return seconds >= 1 && seconds <= kMaxProfileSeconds ? std::optional(seconds) : std::nullopt;
  }
  return kProfileSeconds;
}

http::Response text(int status, std::string body) {
  return {status, {{"Content-Type", "text/plain; charset=utf-8"}}, std::move(body)};
}

http::Response profile(const http::ServerRequest& request, const std::stop_token& stop) {
  const auto seconds = seconds_of(request.raw_query);
  if (!seconds) return text(400, "seconds: must be between 1 and " + std::to_string(kMaxProfileSeconds) + "\n");
  const auto begun = std::chrono::system_clock::now().time_since_epoch();
  const auto taken = sample_cpu(std::chrono::seconds(*seconds), stop);
  if (!taken) return text(503, taken.error().message + "\n");
  const std::vector<Mapping> mapped = mappings();
  const Symbols symbols(mapped);
  return {200,
          {{"Content-Type", "application/octet-stream"}, {"Content-Disposition", "attachment; filename=\"profile\""}},
          encode_pprof(*taken, mapped, std::chrono::duration_cast<std::chrono::nanoseconds>(begun).count(),
                       [&](uint64_t address) { return symbols.name_at(address); })};
}

}  // namespace

void ProfilingHandler::serve(const http::ServerRequest& request, http::ResponseWriter& writer,
                             const std::stop_token& stop) {
  const std::string_view path = request.raw_path;
  if (path != kRoot && !path.starts_with(std::string(kRoot) + "/")) return inner_.serve(request, writer, stop);
  if (request.method != "GET") return writer.respond(text(405, "method not allowed\n"));
  const std::string_view what = path.substr(std::min(path.size(), kRoot.size() + 1));
  if (what.empty()) return writer.respond(text(200, kIndex));
  if (what == "profile") return writer.respond(profile(request, stop));
  if (what == "heap") return writer.respond(text(200, heap_summary(objects_())));
  if (what == "cmdline") {
    std::stringstream command;
    command << std::ifstream("/proc/self/cmdline").rdbuf();
    return writer.respond(text(200, command.str()));
  }
  writer.respond(text(404, "not found\n"));
}

}  // namespace tenon::cli
