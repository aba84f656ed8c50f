// SPDX-License-Identifier: Apache-2.0
#include "aws/call_metrics.h"

namespace tenon::aws {

Observer count_calls(metrics::Registry& registry) {
  using metrics::Detail;
  const std::vector<std::string> call{"service", "action"}, answered{"service", "action", "code"};
  const metrics::Buckets seconds({0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60},
                                 {0.025, 0.1, 0.5, 1, 5, 30});
  auto& requests = registry.counter({"aws_sdk_go_request_total", "Calls of AWS, by their last answer.", answered});
  auto& attempts = registry.counter({"aws_sdk_go_request_attempt_total", "Attempts of calls of AWS.", answered});
  auto& retries =
      registry.histogram({"aws_sdk_go_request_retry_count", "How often a call was repeated.", call, {}, Detail::kFull},
                         {0, 1, 2, 3, 4, 5});
  auto& duration = registry.histogram(
      {"aws_sdk_go_request_duration_seconds", "How long calls took, with their repetitions.", call}, seconds);
  auto& attempt_duration = registry.histogram(
      {"aws_sdk_go_request_attempt_duration_seconds", "How long single attempts took.", call, {}, Detail::kFull},
      seconds);
  return [&](const Attempt& attempt) {
    const metrics::Labels labels{{"service", std::string(attempt.service)}, {"action", std::string(attempt.action)}};
    metrics::Labels with_code = labels;
    with_code["code"] = attempt.status == 0 ? "" : std::to_string(attempt.status);
    attempts.add(with_code);
    attempt_duration.observe(labels, in_seconds(attempt.took));
    if (!attempt.last) return;
    requests.add(with_code);
    retries.observe(labels, attempt.number - 1);
    duration.observe(labels, in_seconds(attempt.since));
  };
}

}  // namespace tenon::aws
