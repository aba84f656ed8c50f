// `tenon demo`: the embedded cluster with the controllers, on sockets for a user with kubectl, or in virtual time for a
// scenario.
// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/demo_command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <mutex>

#include "cli/demo/play.h"
#include "cli/demo/world.h"
#include "cli/documents/scheduler_config_option.h"
#include "cli/options/options.h"
#include "cli/process/signals.h"
#include "cli/wiring/connection.h"
#include "console/cluster_view.h"
#include "http/curl_transport.h"
#include "metrics/process.h"

namespace tenon::cli {
namespace {

constexpr size_t kKeptDecisions = 100;  // lines
constexpr int kDefaultWidth = 120;      // columns, if the terminal does not report its width

int complain(const Error& error) {
  std::cerr << "tenon: " << error.message << "\n";
  return kExitError;
}

// 0600: it holds the token.
Status write_private(const std::string& path, const std::string& text) {
  ::unlink(path.c_str());
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return fail(Code::kInvalid, path + ": cannot be written: " + std::string(std::strerror(errno)));
  const ssize_t written = ::write(fd, text.data(), text.size());
  ::close(fd);
  if (written != static_cast<ssize_t>(text.size())) return fail(Code::kInvalid, path + ": cannot be written");
  return ok();
}

metrics::Detail detail_of(const DemoOptions& options) {
  return options.metrics_detail == "full" ? metrics::Detail::kFull : metrics::Detail::kStandard;
}

// --metrics-out: writes the metrics as a scrape at the end would return them.
Status keep_metrics(const DemoOptions& options, metrics::Registry* registry) {
  if (options.metrics_out.empty() || !registry) return ok();
  const auto process = metrics::collect_process(*registry);
  std::ofstream file(options.metrics_out, std::ios::trunc);
  file << registry->text();
  if (!file.flush()) return fail(Code::kInvalid, "--metrics-out " + options.metrics_out + ": cannot be written");
  return ok();
}

int play_scenario(const DemoOptions& options, const Decisions& decisions) {
  const auto scenario = load_scenario(options.scenario);
  if (!scenario) return complain(scenario.error());
  auto world = SimWorld::make({.seed = options.seed, .decisions = decisions, .metrics_detail = detail_of(options)});
  if (!world) return complain(world.error());
  const int differences = play(*scenario, **world, std::cout);
  if (const Status kept = keep_metrics(options, &(*world)->registry()); !kept) return complain(kept.error());
  return options.check && differences > 0 ? kExitError : kExitDone;
}

// The last lines of the log, for the screen; on a pipe each is printed at once.
class Lines : public log::Sink {
 public:
  explicit Lines(bool echo) : echo_(echo) {}
  // The clock that the lines show. Lines before it begin at 00:00:00.
  void show_time_of(LiveWorld& world) { world_ = &world; }
  bool writes(log::Level level) const override { return level != log::Level::kDebug; }
  void write(const log::Line& written) override {
    if (written.step) return;
    LiveWorld* const world = world_;
    const Instant now = world ? world->runtime().now() : Instant();
    const std::lock_guard lock(mutex_);
    const std::string line = format_rfc3339(now).substr(11, 8) + " " + log::plain_text(written);
    lines_.push_back(line);
    if (lines_.size() > kKeptDecisions) lines_.pop_front();
    if (echo_) std::cout << line << std::endl;
  }
  std::vector<std::string> recent() const {
    const std::lock_guard lock(mutex_);
    return {lines_.begin(), lines_.end()};
  }

 private:
  const bool echo_;
  std::atomic<LiveWorld*> world_ = nullptr;
  mutable std::mutex mutex_;
  std::deque<std::string> lines_;
};

int terminal_width() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return kDefaultWidth;
}

std::string instructions(const DemoOptions& options, const LiveWorld& world) {
  const bool kwok = options.cloud == "kwok";
  std::string text = fmt::format(
      "Tenon demo: an embedded cluster at {}\n\n"
      "  export KUBECONFIG={}\n"
      "  kubectl apply -f examples/{}/\n"
      "  kubectl scale deployment inflate --replicas 5\n"
      "  kubectl get nodes -L node.kubernetes.io/instance-type,karpenter.sh/capacity-type -w\n\n",
      world.server_url(), std::filesystem::absolute(options.kubeconfig).string(), kwok ? "kwok" : "consolidate");
  if (options.no_controller && kwok) {
    text += "Start the controller with this kubeconfig:\n\ntenon controller --cloud kwok\n\n";
  } else if (options.no_controller) {
    text += "Start the controller with this environment:\n\n" + world.aws_environment() + "tenon controller\n\n";
  }
  return text;
}

void draw(LiveWorld& world, const Lines& lines, const std::string& head) {
  if (!world.manager()) return;
  const auto view = console::make_view(world.manager()->cluster().snapshot(), lines.recent());
  const std::string page = console::render_text(view, {.width = terminal_width(), .colour = true});
  std::cout << "\033[H\033[2J" << head << page << "\nPress Ctrl-C to stop." << std::flush;
}

int interactive(const DemoOptions& options, const Decisions& decisions, scheduling::SpreadConstraints default_spread) {
  const Signals signals;
  const bool screen = ::isatty(STDOUT_FILENO) == 1 && !options.no_controller;
  const auto lines = std::make_shared<Lines>(!screen);
  LiveWorld::Options wanted;
  wanted.seed = options.seed;
  wanted.port = options.port;
  wanted.speed = options.speed;
  wanted.controllers = !options.no_controller;
  wanted.kwok = options.cloud == "kwok";
  wanted.decisions = decisions;
  wanted.default_spread = std::move(default_spread);
  wanted.metrics_detail = detail_of(options);
  wanted.log = log::Logger(lines);
  wanted.made = [&lines](LiveWorld& world) { lines->show_time_of(world); };
  auto world = LiveWorld::make(std::move(wanted));
  if (!world) return complain(world.error());
  if (const Status written = write_private(options.kubeconfig, (*world)->kubeconfig()); !written) {
    return complain(written.error());
  }
  const std::string head = instructions(options, **world);
  std::cout << head << std::flush;
  while (!signals.wait(1s)) {
    if (screen) draw(**world, *lines, head);
  }
  if (screen) std::cout << "\n";
  ::unlink(options.kubeconfig.c_str());
  if (const Status kept = keep_metrics(options, (*world)->registry()); !kept) return complain(kept.error());
  return kExitDone;
}

}  // namespace

int run_demo(const DemoOptions& options) {
  const auto decisions = make_decisions(options);
  if (!decisions) return complain(decisions.error());
  if (!options.scenario.empty() && options.cloud != "aws") {
    std::cerr << "tenon demo: --scenario requires --cloud aws, whose node classes the scenarios have\n";
    return kExitUsage;
  }
  if (!options.scenario.empty()) return play_scenario(options, *decisions);
  if (options.check) {
    std::cerr << "tenon demo: --check requires --scenario NAME\n";
    return kExitUsage;
  }
  scheduling::SpreadConstraints default_spread;
  if (!options.scheduler_config.empty()) {
    auto read = read_scheduler_config(options.scheduler_config);
    if (!read) return complain(read.error());
    default_spread = *std::move(read);
  }
  return interactive(options, *decisions, std::move(default_spread));
}

int run_demo_advance(const std::string& kubeconfig, Duration span) {
  const auto connection = kube::load_kubeconfig(kubeconfig);
  if (!connection) return complain(connection.error());
  const auto transport = http::make_curl_transport({.ca_pem = connection->ca.text});
  http::Request request;
  request.method = "POST";
  request.url = connection->server + kAdvancePath + "?by=" + format_go_duration(span);
  request.headers.set("Authorization", "Bearer " + connection->bearer_token);
  const auto answer = transport->send(request, {});
  if (!answer) return complain(answer.error());
  (answer->status == 200 ? std::cout : std::cerr) << answer->body;
  return answer->status == 200 ? kExitDone : kExitError;
}

}  // namespace tenon::cli
