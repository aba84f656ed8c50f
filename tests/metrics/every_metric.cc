// SPDX-License-Identifier: Apache-2.0
#include "metrics/every_metric.h"

#include "base/check.h"
#include "cli/demo/world.h"
#include "metrics/process.h"

namespace tenon::metrics_tests {

std::map<std::string, metrics::Registered> every_metric() {
  const auto world = cli::SimWorld::make({});
  CHECK(world, world.error().message);
  metrics::Registry& registry = (*world)->registry();
  const auto process = metrics::collect_process(registry);
  std::map<std::string, metrics::Registered> all;
  for (metrics::Registered& one : registry.registered()) all.emplace(one.description.name, std::move(one));
  return all;
}

std::vector<std::string> all_labels(const metrics::Registered& metric) {
  std::vector<std::string> labels = metric.description.labels;
  const auto& more = metric.description.full_labels;
  labels.insert(labels.end(), more.begin(), more.end());
  return labels;
}

}  // namespace tenon::metrics_tests
