// SPDX-License-Identifier: Apache-2.0
#include "runtime/parallel.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "log/scope.h"

namespace tenon::runtime {

void in_parallel(Runtime& runtime, const std::string& name, size_t width, size_t count,
                 const std::function<void(size_t, const std::stop_token&)>& job, const std::stop_token& stop) {
  std::atomic<size_t> next{0};
  const auto work = [&](const std::stop_token& own_stop) {
    for (size_t i = next++; i < count; i = next++) job(i, own_stop);
  };
  std::vector<std::unique_ptr<Task>> helpers;
  const log::Scope* const scope = log::Scope::current();
  const auto help = [&](const std::stop_token& own_stop) {
    log::Scope::set_current(scope);
    work(own_stop);
    log::Scope::set_current(nullptr);
  };
  for (size_t i = 1; i < std::min(width, count); ++i) helpers.push_back(runtime.spawn(name, help));
  const std::stop_callback pass_on(stop, [&] {
    for (const auto& helper : helpers) helper->request_stop();
  });
  work(stop);
  for (const auto& helper : helpers) helper->join();
}

}  // namespace tenon::runtime
