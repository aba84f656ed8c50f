// SPDX-License-Identifier: Apache-2.0
#include "controllers/registration_health.h"

#include <algorithm>

namespace tenon::controllers {

size_t RegistrationHealth::Pool::failures() const {
  return static_cast<size_t>(std::count(outcomes.begin(), outcomes.end(), false));
}

void RegistrationHealth::Pool::add(bool success) {
  outcomes.push_back(success);
  if (outcomes.size() > kRemembered) outcomes.pop_front();
}

void RegistrationHealth::succeeded(const std::string& pool_uid) {
  const std::lock_guard lock(mutex_);
  Pool& pool = pools_[pool_uid];
  pool.add(true);
  if (pool.failures() < kUnhealthyAt) pool.verdict = Verdict{};
}

void RegistrationHealth::failed(const std::string& pool_uid, std::string reason, std::string message) {
  const std::lock_guard lock(mutex_);
  Pool& pool = pools_[pool_uid];
  pool.add(false);
  if (pool.failures() >= kUnhealthyAt) pool.verdict = Verdict{false, std::move(reason), std::move(message)};
}

void RegistrationHealth::reset(const std::string& pool_uid) {
  const std::lock_guard lock(mutex_);
  Pool& pool = pools_[pool_uid];
  pool.outcomes.clear();
  pool.verdict.reset();
}

std::optional<RegistrationHealth::Verdict> RegistrationHealth::verdict(const std::string& pool_uid,
                                                                       const std::string& condition) {
  const std::lock_guard lock(mutex_);
  Pool& pool = pools_[pool_uid];
  if (pool.outcomes.empty() && condition == "True") pool.outcomes = {true};
  if (pool.outcomes.empty() && condition == "False") pool.outcomes = {false, false};
  return pool.verdict;
}

}  // namespace tenon::controllers
