// SPDX-License-Identifier: Apache-2.0
#include "storm/checkers/checker.h"

namespace tenon::storm {

std::vector<std::unique_ptr<Checker>> make_checkers() {
  std::vector<std::unique_ptr<Checker>> all;
  all.push_back(make_limits_checker());
  all.push_back(make_budgets_checker());
  all.push_back(make_pod_disruption_budgets_checker());
  all.push_back(make_evictions_checker());
  all.push_back(make_leaks_checker());
  all.push_back(make_twins_checker());
  all.push_back(make_running_checker());
  all.push_back(make_prices_checker());
  all.push_back(make_interruptions_checker());
  all.push_back(make_foreign_checker());
  all.push_back(make_collected_checker());
  all.push_back(make_unreadable_checker());
  all.push_back(make_isolated_checker());
  all.push_back(make_prompt_checker());
  all.push_back(make_fenced_checker());
  all.push_back(make_recorded_checker());
  all.push_back(make_rest_checker());
  all.push_back(make_churn_checker());
  all.push_back(make_labels_checker());
  return all;
}

}  // namespace tenon::storm
