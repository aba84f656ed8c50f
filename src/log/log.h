// Log lines for people: a level, a message and typed fields, written to a sink. The sinks of the process are in cli/; a
// test captures lines with testing::Capture (testing/capture.h).
//
//   log.tell(decision(kLaunchedNodeClaim, {.node_claim = "default-x2x4"}, "launched m5.large in us-east-1a"));
//   log.failure("nodeclaim.lifecycle", "default-x2x4", error);   // it will be retried
//
// Messages that users search for are in messages.h. The fields that all lines of a reconciliation share are set once
// (scope.h).
// A Logger is a small value; copies share the sink. A Logger without a sink discards every line.
// Thread rule: any thread may write; a sink must allow that.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace tenon::log {

enum class Level { kDebug, kInfo, kWarn, kError };

// The keys of values beyond the fixed fields; key_name() is the text.
enum class Key {
  kAllocatable,
  kCapacityType,
  kCommand,
  kCurrent,
  kDecision,
  kDeletingPods,
  kDeprovisionCount,
  kDesired,
  kDisruptedNodeCount,
  kDisruptedNodes,
  kDuration,
  kInstanceType,
  kInstanceTypes,
  kMessageKind,
  kNodeClaims,
  kNodes,
  kPendingPods,
  kPod,
  kPodCount,
  kPods,
  kPodTotal,
  kProvisionCount,
  kReason,
  kReplacementNodeCount,
  kReplacementNodes,
  kRequests,
  kTaintEffect,
  kTaintKey,
  kTaintValue,
  kTerminationTimestamp,
  kTimeout,
  kZone,
};
std::string_view key_name(Key key);

// Texts by name, in the order in which they are written.
using Object = std::vector<std::pair<std::string, std::string>>;
// A text, a number, an object, or several objects.
struct Value {
  enum class Kind { kText, kNumber, kObject, kObjects };
  Value(Key of, std::string is);
  Value(Key of, int64_t is);
  Value(Key of, Object is);
  Value(Key of, std::vector<Object> are);

  Key key;
  Kind kind;
  std::string text = {};
  int64_t number = 0;
  std::vector<Object> objects = {};  // one for kObject
  friend bool operator==(const Value&, const Value&) = default;
};

// The objects that a line names. An empty field is not set. The JSON log uses Karpenter's keys: "controller", "name",
// "NodePool", "NodeClaim", "Node", "provider-id", "namespace".
struct Fields {
  std::string controller = {};  // or another part of the process: "catalog"
  std::string name = {};        // of the object that the controller reconciles
  std::string node_pool = {}, node_claim = {}, node = {}, provider_id = {};
  std::string ns = {};    // of the object that the controller reconciles
  std::string kind = {};  // likewise: "NodeClaim"
  std::vector<Value> more = {};
  friend bool operator==(const Fields&, const Fields&) = default;
};

// A line that is not written yet; decisions return such lines in their plans.
struct Entry {
  std::string message;
  Fields fields = {};
  std::string words = {};  // the line for people, with figures and reasons; empty: the message
  Level level = Level::kInfo;
  bool step = false;       // follows from a decision that was told; people who follow decisions need not see it
  std::string error = {};  // why it failed
  friend bool operator==(const Entry&, const Entry&) = default;
};

struct Line {
  Level level = Level::kInfo;
  std::string message;
  Fields fields = {};
  std::optional<Code> failure = std::nullopt;  // set: the line reports an error that will be retried, and may repeat
  std::string words = {};                      // as of an Entry, like the next two
  bool step = false;
  std::string error = {};
  uint64_t reconciliation = 0;  // lines of one reconciliation have the same number; 0: of none
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
  void tell(Entry entry) const;
  void warn(std::string message, Fields fields = {}) const;
  void error(std::string message, Fields fields = {}) const;
  // An error that will be retried. `name`: the object that the controller reconciled; may be empty.
  void failure(std::string controller, std::string name, const Error& error,
               std::string_view message = "Reconciler error") const;
  bool writes(Level level) const { return sink_ && sink_->writes(level); }

 private:
  void write(Line line) const;
  std::shared_ptr<Sink> sink_;  // null: lines are discarded
};

// Returns the line as plain text: its words or its message; of a failure "controller name: error".
std::string plain_text(const Line& line);

}  // namespace tenon::log
