// SPDX-License-Identifier: Apache-2.0
#include "controllers/disruption/consolidation_backoff.h"

#include <algorithm>

#include "disruption/cost.h"
#include "runtime/backoff.h"

namespace tenon::controllers::disruption {
namespace {

using scheduling::NodeView;
using scheduling::Snapshot;
using tenon::disruption::Move;

constexpr Duration kJudged = kRelaunchWindow + 2min;  // after the move: by then launched nodes run their pods

std::set<std::string> owners_of(const NodeView& node) {
  std::set<std::string> owners;
  for (const auto& pod : node.pods) {
    if (!tenon::disruption::reschedulable(*pod)) continue;
    for (const auto& owner : pod->meta.owners) {
      if (owner.controller) owners.insert(owner.uid);
    }
  }
  return owners;
}

size_t pods_of(const std::string& owner, const Snapshot& now) {
  size_t count = 0;
  const auto add = [&](const auto& pods) {
    for (const auto& pod : pods) {
      const auto* controller = pod->controller();
      count += controller && controller->uid == owner && !pod->meta.deleting() && !pod->terminal() ? 1 : 0;
    }
  };
  add(now.pending);
  for (const NodeView& node : now.nodes) add(node.pods);
  return count;
}

std::string pools_of(const Snapshot& now) {
  std::string text;
  for (const auto& view : now.pools)
    text += view.pool->meta.name + "/" + std::to_string(view.pool->meta.generation) + ",";
  return text;
}

std::set<std::string> owners_of(const Move& move, const Snapshot& snapshot) {
  std::set<std::string> owners;
  for (const NodeView& node : snapshot.nodes) {
    if (std::find(move.nodes.begin(), move.nodes.end(), node.name()) == move.nodes.end()) continue;
    owners.merge(owners_of(node));
  }
  return owners;
}

}  // namespace

void ConsolidationBackoff::record_replacement(const std::string& claim, Instant now) { replacements_[claim] = now; }

void ConsolidationBackoff::record_move(const Command& command, const Snapshot& now) {
  if (is_consolidation(command.move.method)) made_.push_back({now.now, owners_of(command.move, now)});
}

void ConsolidationBackoff::detect_wrong_moves(const Snapshot& now) {
  std::erase_if(replacements_, [&](const auto& entry) { return now.now - entry.second > 2 * kJudged; });
  std::erase_if(rests_, [&](const auto& entry) {
    return now.now - entry.second.until > kRestForgotten && !rests(entry.first, entry.second, now);
  });
  std::erase_if(made_, [&](const Made& made) { return now.now - made.at > kJudged; });
  if (made_.empty()) return;
  for (const NodeView& node : now.nodes) {
    if (!node.managed() || replacements_.contains(node.claim->meta.name)) continue;
    const Instant launched = node.claim->meta.created_at;
    const std::set<std::string> owners = owners_of(node);
    std::erase_if(made_, [&](const Made& made) {
      const bool in_its_time = launched > made.at && launched - made.at <= kRelaunchWindow;
      const bool wrong = in_its_time && std::any_of(owners.begin(), owners.end(),
                                                    [&](const auto& owner) { return made.owners.contains(owner); });
      if (wrong) back_off(made.owners, now);
      return wrong;
    });
  }
}

// The first time has no rest: it may be a coincidence, such as a user who scales up.
void ConsolidationBackoff::back_off(const Owners& owners, const Snapshot& now) {
  for (const std::string& owner : owners) {
    Rest& rest = rests_[owner];
    const Duration pause = runtime::backoff_pause(kFirstRest, kLongestRest, rest.times);
    ++rest.times;
    rest.begun = now.now;
    rest.until = now.now + pause;
    rest.pods = pods_of(owner, now);
    rest.pools = pools_of(now);
  }
}

bool ConsolidationBackoff::rests(const std::string& owner, const Rest& rest, const Snapshot& now) {
  if (now.now < rest.until) return true;
  return rest.times > 1 && now.now - rest.begun < kUnchangedRest && rest.pods == pods_of(owner, now) &&
         rest.pools == pools_of(now);
}

bool ConsolidationBackoff::blocks(const Move& move, const Snapshot& now) const {
  if (rests_.empty() || !is_consolidation(move.method)) return false;
  const std::set<std::string> owners = owners_of(move, now);
  return std::any_of(owners.begin(), owners.end(), [&](const std::string& owner) {
    const auto at = rests_.find(owner);
    return at != rests_.end() && rests(owner, at->second, now);
  });
}

}  // namespace tenon::controllers::disruption
