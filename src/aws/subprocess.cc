// SPDX-License-Identifier: Apache-2.0
#include "aws/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

extern char** environ;

namespace tenon::aws {
namespace {

using Steady = std::chrono::steady_clock;
constexpr int kExitPollMs = 10;

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { reset(); }
  int get() const { return fd_; }
  void reset() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

// Starts the program in its own process group, with no signal blocked and its output in `out`. Returns 0 or an errno.
int start(const std::vector<std::string>& words, int out, pid_t& pid) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const int error = posix_spawnp(&pid, argv.front(), &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

// Reads until the program closes its output. Errors as of run_program.
Result<std::string> read_all(int out, int stopped, Steady::time_point deadline, Duration timeout,
                             const std::string& name) {
  std::string text;
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Steady::now()).count();
    if (left <= 0) return fail(Code::kTimeout, name + ": no answer within " + format_go_duration(timeout));
    std::array<pollfd, 2> fds{pollfd{out, POLLIN, 0}, pollfd{stopped, POLLIN, 0}};
    if (poll(fds.data(), fds.size(), static_cast<int>(left)) < 0 && errno != EINTR) {
      return fail(Code::kForbidden, name + ": " + std::strerror(errno));
    }
    if (fds[1].revents != 0) return fail(Code::kCancelled, name + ": stopped");
    if (fds[0].revents == 0) continue;
    std::array<char, 4096> bytes;
    const ssize_t got = read(out, bytes.data(), bytes.size());
    if (got == 0) return text;
    if (got < 0 && errno != EINTR) return fail(Code::kForbidden, name + ": " + std::strerror(errno));
    if (got > 0) text.append(bytes.data(), static_cast<size_t>(got));
    if (text.size() > kMaxProcessOutput) {
      return fail(Code::kForbidden, name + ": it prints more than " + std::to_string(kMaxProcessOutput) + " bytes");
    }
  }
}

}  // namespace

Result<std::vector<std::string>> split_command(std::string_view command) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = '\0';
  for (size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    const bool escapes = c == '\\' && quote != '\'' && i + 1 < command.size();
    if (escapes && (quote == '\0' || command[i + 1] == '"' || command[i + 1] == '\\')) {
      word += command[++i];
      in_word = true;
    } else if (quote != '\0') {
      if (c == quote) {
        quote = '\0';
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (quote != '\0') return fail(Code::kInvalid, "a quote is not closed");
  if (in_word) words.push_back(std::move(word));
  if (words.empty()) return fail(Code::kInvalid, "it names no program");
  return words;
}

Result<std::string> run_program(const std::vector<std::string>& words, Duration timeout, const std::stop_token& stop) {
  const std::string& name = words.front();
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) return fail(Code::kForbidden, name + ": " + std::strerror(errno));
  Descriptor out(ends[0]), in(ends[1]);
  const Descriptor stopped(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  const std::stop_callback on_stop(stop, [&] {
    const uint64_t one = 1;
    (void)!write(stopped.get(), &one, sizeof one);
  });
  const auto deadline = Steady::now() + timeout;
  pid_t pid = 0;
  if (const int error = start(words, in.get(), pid); error != 0) {
    return fail(Code::kForbidden, name + ": cannot be started: " + std::strerror(error));
  }
  in.reset();
  Result<std::string> text = read_all(out.get(), stopped.get(), deadline, timeout, name);
  int status = 0;
  while (text && waitpid(pid, &status, WNOHANG) == 0) {
    pollfd wait{stopped.get(), POLLIN, 0};
    if (poll(&wait, 1, kExitPollMs) > 0) text = fail(Code::kCancelled, name + ": stopped");
    if (text && Steady::now() >= deadline) text = fail(Code::kTimeout, name + ": no output, and no end");
  }
  if (!text) {
    kill(-pid, SIGKILL);  // not waited for yet, so the process group is still its own
    waitpid(pid, &status, 0);
    return text;
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return text;
  const bool exited = WIFEXITED(status);
  return fail(Code::kForbidden, name + (exited ? ": exit status " + std::to_string(WEXITSTATUS(status))
                                               : ": ended by signal " + std::to_string(WTERMSIG(status))));
}

}  // namespace tenon::aws
