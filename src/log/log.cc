// SPDX-License-Identifier: Apache-2.0
#include "log/log.h"

#include <utility>

#include "log/scope.h"

namespace tenon::log {

std::string_view key_name(Key key) {
  switch (key) {
    case Key::kAllocatable: return "allocatable";
    case Key::kCapacityType: return "capacity-type";
    case Key::kCommand: return "command";
    case Key::kCurrent: return "current";
    case Key::kDecision: return "decision";
    case Key::kDeletingPods: return "deleting-pods";
    case Key::kDeprovisionCount: return "deprovision-count";
    case Key::kDesired: return "desired";
    case Key::kDisruptedNodeCount: return "disrupted-node-count";
    case Key::kDisruptedNodes: return "disrupted-nodes";
    case Key::kDuration: return "duration";
    case Key::kInstanceType: return "instance-type";
    case Key::kInstanceTypes: return "instance-types";
    case Key::kMessageKind: return "messageKind";
    case Key::kNodeClaims: return "nodeclaims";
    case Key::kNodes: return "nodes";
    case Key::kPendingPods: return "pending-pods";
    case Key::kPod: return "Pod";
    case Key::kPodCount: return "pod-count";
    case Key::kPods: return "Pods";
    case Key::kPodTotal: return "pods";
    case Key::kProvisionCount: return "provision-count";
    case Key::kReason: return "reason";
    case Key::kReplacementNodeCount: return "replacement-node-count";
    case Key::kReplacementNodes: return "replacement-nodes";
    case Key::kRequests: return "requests";
    case Key::kTaintEffect: return "taint.Effect";
    case Key::kTaintKey: return "taint.Key";
    case Key::kTaintValue: return "taint.Value";
    case Key::kTerminationTimestamp: return "karpenter.sh/nodeclaim-termination-timestamp";
    case Key::kTimeout: return "timeout";
    case Key::kZone: return "zone";
  }
  return "";
}

Value::Value(Key of, std::string is) : key(of), kind(Kind::kText), text(std::move(is)) {}
Value::Value(Key of, int64_t is) : key(of), kind(Kind::kNumber), number(is) {}
Value::Value(Key of, Object is) : key(of), kind(Kind::kObject) { objects.push_back(std::move(is)); }
Value::Value(Key of, std::vector<Object> are) : key(of), kind(Kind::kObjects), objects(std::move(are)) {}

void Logger::debug(std::string message, Fields fields) const {
  write({Level::kDebug, std::move(message), std::move(fields)});
}
void Logger::info(std::string message, Fields fields) const {
  write({Level::kInfo, std::move(message), std::move(fields)});
}
void Logger::warn(std::string message, Fields fields) const {
  write({Level::kWarn, std::move(message), std::move(fields)});
}
void Logger::error(std::string message, Fields fields) const {
  write({Level::kError, std::move(message), std::move(fields)});
}
void Logger::tell(Entry entry) const {
  write({.level = entry.level,
         .message = std::move(entry.message),
         .fields = std::move(entry.fields),
         .words = std::move(entry.words),
         .step = entry.step,
         .error = std::move(entry.error)});
}
void Logger::failure(std::string controller, std::string name, const Error& error, std::string_view message) const {
  write({.level = Level::kError,
         .message = std::string(message),
         .fields = {.controller = std::move(controller), .name = std::move(name)},
         .failure = error.code,
         .error = error.message});
}

void Logger::write(Line line) const {
  if (!writes(line.level)) return;
  if (const Scope* scope = Scope::current()) scope->add_to(line);
  sink_->write(line);
}

std::string plain_text(const Line& line) {
  const Fields& f = line.fields;
  const std::string& text = line.failure ? line.error : line.words.empty() ? line.message : line.words;
  if (!line.failure || f.controller.empty()) return text;
  return f.controller + (f.name.empty() ? "" : " " + f.name) + ": " + text;
}

}  // namespace tenon::log
