// SPDX-License-Identifier: Apache-2.0
#include "model/budget.h"

#include <algorithm>
#include <charconv>
#include <climits>

#include "model/cron.h"

namespace tenon::model {
namespace {

std::optional<int> count(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

std::optional<int> allowed(std::string_view nodes, int total) {
  if (!nodes.ends_with('%')) return count(nodes);
  const auto percent = count(nodes.substr(0, nodes.size() - 1));
  if (!percent || *percent > 100) return std::nullopt;
  return static_cast<int>((int64_t{*percent} * total + 99) / 100);
}

}  // namespace

Result<bool> budget_active(const Budget& budget, Instant now) {
  if (budget.schedule.empty() && !budget.duration) return true;
  const Cron cron = TRY_IN("budget schedule", Cron::parse(budget.schedule));
  return cron.next(now - budget.duration.value_or(Duration(0))) <= now;
}

int allowed_disruptions(const std::vector<Budget>& budgets, std::string_view reason, int total, Instant now) {
  int least = INT_MAX;
  for (const Budget& budget : budgets) {
    const auto active = budget_active(budget, now);
    const auto nodes = allowed(budget.nodes, total);
    if (!active || !nodes) return 0;
    const bool concerns = budget.reasons.empty() || std::find(budget.reasons.begin(), budget.reasons.end(), reason) !=
                                                        budget.reasons.end();
    if (concerns && *active) least = std::min(least, *nodes);
  }
  return least;
}

}  // namespace tenon::model
