// A sink that keeps its lines, for tests.
// Thread rule: any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "log/log.h"

namespace tenon::log::testing {

class Capture : public Sink {
 public:
  void write(const Line& line) override {
    const std::lock_guard lock(mutex_);
    lines_.push_back(line);
  }
  std::vector<Line> lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }
  // The lines of one level as plain text, without failures and steps.
  std::vector<std::string> messages(Level level) const {
    std::vector<std::string> out;
    for (const Line& line : lines()) {
      if (line.level == level && !line.failure && !line.step) out.push_back(plain_text(line));
    }
    return out;
  }
  // The failures as plain text: "controller name: message".
  std::vector<std::string> failures() const {
    std::vector<std::string> out;
    for (const Line& line : lines()) {
      if (line.failure) out.push_back(plain_text(line));
    }
    return out;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Line> lines_;
};

// Appends to a vector of the caller: the text of lines that are neither debug nor failures nor steps.
class MessagesTo : public Sink {
 public:
  explicit MessagesTo(std::vector<std::string>& messages) : messages_(messages) {}
  void write(const Line& line) override {
    const std::lock_guard lock(mutex_);
    if (line.level != Level::kDebug && !line.failure && !line.step) messages_.push_back(plain_text(line));
  }

 private:
  std::mutex mutex_;
  std::vector<std::string>& messages_;
};
inline Logger messages_to(std::vector<std::string>& messages) { return Logger(std::make_shared<MessagesTo>(messages)); }

}  // namespace tenon::log::testing
