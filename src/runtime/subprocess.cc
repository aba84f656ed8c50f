// SPDX-License-Identifier: Apache-2.0
#include "runtime/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "base/text.h"

extern char** environ;

namespace tenon::runtime {
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

// A pipe whose write end goes to the program.
struct Pipe {
  Pipe() {
    int ends[2] = {-1, -1};
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    out = ends[0];
    in = ends[1];
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_in();
    if (out >= 0) close(out);
  }
  void close_in() {
    if (in >= 0) close(in);
    in = -1;
  }
  int out = -1, in = -1;
};

std::vector<std::string> environment_of(const Program& program) {
  std::vector<std::string> all;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view name = cut(*variable, '=').first;
    const auto overrides = [name](const auto& entry) { return entry.first == name; };
    if (std::none_of(program.environment.begin(), program.environment.end(), overrides)) all.emplace_back(*variable);
  }
  for (const auto& [name, value] : program.environment) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (const std::string& text : texts) all.push_back(const_cast<char*>(text.c_str()));
  all.push_back(nullptr);
  return all;
}

// Starts the program in its own process group, with no signal blocked. Returns 0 or an errno.
int start(const Program& program, int out, int errors, pid_t& pid) {
  const std::vector<std::string> variables = environment_of(program);
  const std::vector<char*> argv = pointers(program.words), envp = pointers(variables);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  if (errors >= 0) {
    posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  } else {
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  }
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
  const int error = posix_spawnp(&pid, argv.front(), &actions, &attributes, argv.data(), envp.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

// Reads once. Returns false at the end of the pipe.
Result<bool> read_some(int pipe, std::string& into) {
  std::array<char, 4096> bytes;
  const ssize_t got = read(pipe, bytes.data(), bytes.size());
  if (got < 0 && errno != EINTR) return fail(Code::kForbidden, std::strerror(errno));
  if (got > 0) into.append(bytes.data(), static_cast<size_t>(got));
  return got != 0;
}

// Reads the program's output until it ends, the time limit passes, or the caller stops. Errors: those of run_program.
class Reader {
 public:
  // `errors` is -1 if the standard error is not read.
  Reader(int output, int errors, int stopped, Duration timeout)
      : output_(output), errors_(errors), stopped_(stopped), timeout_(timeout) {}

  // Reads until the program closes its output.
  Status read_output() {
    while (true) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Steady::now()).count();
      if (left <= 0) return fail(Code::kTimeout, "no answer within " + format_go_duration(timeout_));
      if (!TRY(wait_and_read(output_, static_cast<int>(left)))) return ok();
    }
  }

  // Waits until the program has ended. `pid` is reaped only if this succeeds.
  Status wait_for_end(pid_t pid, int& status) {
    while (waitpid(pid, &status, WNOHANG) == 0) {
      TRY(wait_and_read(-1, kExitPollMs));
      if (Steady::now() >= deadline_) return fail(Code::kTimeout, "no output, and no end");
    }
    // Reads only what is there now: a child of the program may keep the standard error open.
    for (pollfd rest{errors_, POLLIN, 0}; rest.fd >= 0 && poll(&rest, 1, 0) > 0; rest.fd = errors_) TRY(take_errors());
    return ok();
  }

  const std::string& errors() const { return error_text_; }
  std::string take_output() { return std::move(output_text_); }

 private:
  // Returns false at the end of the output.
  Result<bool> wait_and_read(int output, int milliseconds) {
    std::array<pollfd, 3> fds{pollfd{output, POLLIN, 0}, pollfd{stopped_, POLLIN, 0}, pollfd{errors_, POLLIN, 0}};
    if (poll(fds.data(), fds.size(), milliseconds) < 0) {
      if (errno == EINTR) return true;
      return fail(Code::kForbidden, std::strerror(errno));
    }
    if (fds[1].revents != 0) return fail(Code::kCancelled, "stopped");
    if (fds[2].revents != 0) TRY(take_errors());
    if (fds[0].revents == 0) return true;
    const bool more = TRY(read_some(output, output_text_));
    if (output_text_.size() > kMaxProcessOutput) {
      return fail(Code::kForbidden, "it prints more than " + std::to_string(kMaxProcessOutput) + " bytes");
    }
    return more;
  }

  // Keeps the end only.
  Status take_errors() {
    if (!TRY(read_some(errors_, error_text_))) errors_ = -1;
    if (error_text_.size() > 2 * kMaxProcessOutput) error_text_.erase(0, error_text_.size() - kMaxProcessOutput);
    return ok();
  }

  const int output_;
  int errors_;  // -1 at its end; poll() ignores it
  const int stopped_;
  const Duration timeout_;
  const Steady::time_point deadline_ = Steady::now() + timeout_;
  std::string output_text_, error_text_;
};

// Returns ": " and the end of the errors, on one line.
std::string quoted(const std::string& errors) {
  std::string text, word;
  const auto end_word = [&] {
    if (!word.empty()) text += (text.empty() ? "" : " ") + (word.size() > kMaxQuotedWord ? "[...]" : word);
    word.clear();
  };
  for (const char c : errors) {
    if (static_cast<unsigned char>(c) > ' ' && c != '\x7f') {
      word += c;
    } else {
      end_word();
    }
  }
  end_word();
  if (text.empty()) return "";
  if (text.size() <= kMaxQuotedErrors) return ": " + text;
  size_t from = text.size() - kMaxQuotedErrors;
  while (from < text.size() && (static_cast<unsigned char>(text[from]) & 0xC0U) == 0x80U) ++from;  // whole characters
  return ": ..." + text.substr(from);
}

}  // namespace

Result<std::string> run_program(const Program& program, Duration timeout, const std::stop_token& stop) {
  const std::string& name = program.words.front();
  Pipe output, errors;
  if (output.out < 0 || errors.out < 0) return fail(Code::kForbidden, name + ": " + std::strerror(errno));
  const Descriptor stopped(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  const std::stop_callback on_stop(stop, [&] {
    const uint64_t one = 1;
    (void)!write(stopped.get(), &one, sizeof one);
  });
  Reader reader(output.out, program.quotes_errors ? errors.out : -1, stopped.get(), timeout);
  pid_t pid = 0;
  if (const int error = start(program, output.in, program.quotes_errors ? errors.in : -1, pid); error != 0) {
    const Code code = error == ENOENT ? Code::kNotFound : Code::kForbidden;
    return fail(code, name + ": cannot be started: " + std::strerror(error));
  }
  output.close_in();
  errors.close_in();
  int status = 0;
  Status done = reader.read_output();
  if (done) done = reader.wait_for_end(pid, status);
  if (!done) {
    kill(-pid, SIGKILL);  // not waited for yet, so the process group is still its own
    waitpid(pid, &status, 0);
    return fail(done.error().code, name + ": " + done.error().message + quoted(reader.errors()));
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return reader.take_output();
  const bool exited = WIFEXITED(status);
  return fail(Code::kForbidden, name +
                                    (exited ? ": exit status " + std::to_string(WEXITSTATUS(status))
                                            : ": ended by signal " + std::to_string(WTERMSIG(status))) +
                                    quoted(reader.errors()));
}

}  // namespace tenon::runtime
