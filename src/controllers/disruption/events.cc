// SPDX-License-Identifier: Apache-2.0
#include "controllers/disruption/events.h"

#include "base/text.h"
#include "controllers/disruption/node_events.h"
#include "model/labels.h"
#include "scheduling/input/eviction.h"

namespace tenon::controllers::disruption {
namespace {

using scheduling::NodeView;
using scheduling::Snapshot;
using tenon::disruption::Kept;
using tenon::disruption::Move;

constexpr Duration kBlocked = 2min, kUnconsolidatable = 15min, kPoolBlocked = 1min;  // time without an equal event
constexpr Duration kRefusal = 2min;
constexpr Duration kElapsedLately = 10min;  // a period that ended earlier has no event
constexpr std::string_view kNothingAllowed = "No allowed disruptions";
constexpr int64_t kCent = model::kPicoPerUsd / 100;

Emit into(plan::Plan& plan) {
  return [&plan](plan::RecordEvent event) { plan.add(std::move(event)); };
}

void emit_node_event(const NodeView& view, const std::string& reason, const std::string& message, Duration dedupe,
                     const Emit& emit) {
  if (view.node) emit({plan::ref(*view.node), "Normal", reason, message, dedupe});
  if (view.claim) emit({plan::ref(*view.claim), "Normal", reason, message, dedupe});
}

void emit_pool_event(const Snapshot& snapshot, const std::string& pool, const std::string& reason,
                     const std::string& message, Duration dedupe, const Emit& emit) {
  for (const auto& view : snapshot.pools) {
    if (view.pool->meta.name != pool) continue;
    emit({plan::ref(*view.pool), "Normal", reason, message, dedupe});
  }
}

void emit_kept(const Snapshot& snapshot, const std::string& name, const Kept& kept, const Emit& emit) {
  const NodeView* view = snapshot.node(name);
  const auto event = view ? kept_event(view->pool(), kept) : std::nullopt;
  if (!event) return;
  const Duration dedupe = kept.reason == "Unconsolidatable" ? kUnconsolidatable : kBlocked;
  emit_node_event(*view, event->reason, event->message, dedupe, emit);
}

// Emits the grace period that a pod requests, and whether it has elapsed. parity: karpenter pkg/utils/pod/scheduling.go
void emit_refusal(const model::Pod& pod, Instant now, const Emit& emit) {
  using Kind = scheduling::Refusal::Kind;
  const scheduling::Refusal refusal = scheduling::refusal_of(pod, now);
  const std::string key(model::kAnnotationDoNotDisrupt);
  const auto event = [&](const std::string& type, const std::string& reason, const std::string& message) {
    emit({plan::pod_ref(pod.meta), type, reason, message, kRefusal});
  };
  if (refusal.kind == Kind::kInvalid) {
    const std::string text(model::lookup(pod.meta.annotations, key));
    event(
        "Warning", "InvalidDoNotDisruptAnnotation",
        "Invalid " + key + " annotation: \"" + text + "\" is neither true nor a time such as 4h, ignoring annotation");
  } else if (refusal.kind == Kind::kUntil && refusal.until) {
    event("Normal", "DoNotDisruptUntil",
          "The " + key + " grace period will elapse at " + format_rfc3339(*refusal.until));
  } else if (refusal.kind == Kind::kElapsed && now - *refusal.until < kElapsedLately) {
    event("Normal", "DoNotDisruptGracePeriodElapsed",
          "The " + key + " grace period has elapsed, pod is now disruptable");
  }
}

// Describes the command from the view of one of its nodes.
std::string command(const Move& move, const std::string& node) {
  const std::string verb = move.replacements.empty() ? "delete" : "replace";
  if (move.nodes.size() > 1)
    return verb + ": [" + node + "] (part of " + std::to_string(move.nodes.size()) + "-node consolidation)";
  const size_t count = move.replacements.size();
  if (count == 0) return verb + ": [" + node + "]";
  return verb + ": [" + node + "] -> [" + counted(count, "replacement") + "]";
}

std::string dollars(model::Price price) {
  const int64_t cents = (price.value() + kCent / 2) / kCent;
  const std::string rest = std::to_string(cents % 100);
  return "$" + std::to_string(cents / 100) + "." + (rest.size() < 2 ? "0" : "") + rest;
}

}  // namespace

void pass_events(const Snapshot& snapshot, const tenon::disruption::Pass& pass, const Emit& emit) {
  for (const NodeView& node : snapshot.nodes) {
    if (node.pool().empty()) continue;
    for (const auto& pod : node.pods) emit_refusal(*pod, snapshot.now, emit);
  }
  std::map<std::string, std::string> pools;
  for (const auto& [name, kept] : pass.kept) {
    emit_kept(snapshot, name, kept, emit);
    if (kept.reason == "Budget" && kept.message.starts_with(kNothingAllowed))
      pools.emplace(std::string(cut(kept.object, '/').second), cut(kept.message, ';').first);
  }
  for (const auto& [pool, message] : pools)
    emit_pool_event(snapshot, pool, "DisruptionBlocked", message, kPoolBlocked, emit);
  for (const Move& move : pass.moves) {
    if (!is_consolidation(move.method) || move.replacements.empty()) continue;
    for (const std::string& name : move.nodes) {
      const std::string message =
          "Consolidation candidate: " + command(move, name) + " (savings: " + dollars(move.savings) + ")";
      if (const NodeView* view = snapshot.node(name))
        emit_node_event(*view, "ConsolidationCandidate", message, kBlocked, emit);
    }
  }
}

plan::Plan rejected_events(const Snapshot& snapshot, const Move& move, const std::string& reason) {
  plan::Plan plan;
  if (!is_consolidation(move.method)) return plan;
  for (const std::string& name : move.nodes) {
    const std::string message = "Consolidation rejected: " + command(move, name) + ", reason: " + reason +
                                " (savings: " + dollars(move.savings) + ")";
    if (const NodeView* view = snapshot.node(name))
      emit_node_event(*view, "ConsolidationRejected", message, kBlocked, into(plan));
  }
  return plan;
}

plan::Plan approved_events(const Snapshot& snapshot, const Move& move) {
  plan::Plan plan;
  for (const auto& [pool, message] : move.approved) {
    const NodeView* view = snapshot.node(move.nodes.front());
    if (move.nodes.size() == 1 && view) {
      emit_node_event(*view, "ConsolidationApproved", message, kBlocked, into(plan));
    } else {
      emit_pool_event(snapshot, pool, "ConsolidationApproved", message, kBlocked, into(plan));
    }
  }
  return plan;
}

}  // namespace tenon::controllers::disruption
