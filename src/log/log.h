// Log lines for people: a level, a message and typed fields, written to a sink. The sinks of the process are in cli/; a
// test captures lines with testing::Capture (testing/capture.h).
//
//   log.info("launched m5.large in us-east-1a", {.controller = "nodeclaim.lifecycle", .node_claim = "default-x2x4"});
//   log.failure("nodeclaim.lifecycle", "default-x2x4", error);   // it will be retried
//
// A Logger is a small value; copies share the sink. A Logger without a sink discards every line.
// Thread rule: any thread may write; a sink must allow that.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace tenon::log {

enum class Level { kDebug, kInfo, kWarn, kError };

// What a line is about; empty: not set. The JSON log uses Karpenter's keys: "controller", "name", "NodePool",
// "NodeClaim", "Node", "provider-id".
struct Fields {
  std::string controller = {};  // or another part of the process: "catalog"
  std::string name = {};        // of the object that the controller reconciles
  std::string node_pool = {}, node_claim = {}, node = {}, provider_id = {};
  friend bool operator==(const Fields&, const Fields&) = default;
};

// A line that is not written yet; decisions return such lines in their plans.
struct Entry {
  std::string message;
  Fields fields = {};
  friend bool operator==(const Entry&, const Entry&) = default;
};

struct Line {
  Level level = Level::kInfo;
  std::string message;
  Fields fields = {};
  std::optional<Code> failure = std::nullopt;  // set: the line reports an error that will be retried, and may repeat
};

class Sink {
 public:
  virtual ~Sink() = default;
  virtual void write(const Line& line) = 0;
  // False if lines of this level are discarded: the caller need not make them.
  virtual bool writes(Level) const { return true; }
};

class Logger {
 public:
  Logger() = default;
  explicit Logger(std::shared_ptr<Sink> sink) : sink_(std::move(sink)) {}

  void debug(std::string message, Fields fields = {}) const;
  void info(std::string message, Fields fields = {}) const;
  void info(Entry entry) const;
  void warn(std::string message, Fields fields = {}) const;
  void error(std::string message, Fields fields = {}) const;
  // A warning about an error that will be retried. `name`: the object that the controller reconciled; may be empty.
  void failure(std::string controller, std::string name, const Error& error) const;
  bool writes(Level level) const { return sink_ && sink_->writes(level); }

 private:
  void write(Line line) const;
  std::shared_ptr<Sink> sink_;  // null: lines are discarded
};

// Returns the line as plain text: its message; of a failure "controller name: message".
std::string plain_text(const Line& line);

}  // namespace tenon::log
