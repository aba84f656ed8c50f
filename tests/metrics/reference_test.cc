// SPDX-License-Identifier: Apache-2.0
#include "metrics/reference.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "metrics/every_metric.h"

namespace tenon::metrics_tests {
namespace {

TEST(MetricReference, IsThePageInTheDocuments) {
  std::ifstream file(TENON_SOURCE_DIR "/docs/reference/metrics.md");
  std::stringstream committed;
  committed << file.rdbuf();
  const std::string page = reference_page(every_metric());
  const auto left = std::filesystem::temp_directory_path() / "tenon-metrics.md";
  std::filesystem::remove(left);
  if (committed.str() == page) return;
  std::ofstream(left) << page;
  FAIL() << "docs/reference/metrics.md differs from the metrics. If that is meant: cp " << left.string()
         << " docs/reference/metrics.md";
}

}  // namespace
}  // namespace tenon::metrics_tests
