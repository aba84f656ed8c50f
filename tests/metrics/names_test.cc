// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <charconv>
#include <fstream>
#include <set>

#include "base/text.h"
#include "cli/demo/world.h"
#include "metrics/every_metric.h"

namespace tenon::metrics_tests {
namespace {

double number(std::string_view text) {
  double value = 0;
  EXPECT_EQ(std::from_chars(text.data(), text.data() + text.size(), value).ec, std::errc()) << text;
  return value;
}

std::vector<double> numbers(std::string_view text, char separator) {
  std::vector<double> values;
  for (const std::string_view part : split(text, separator)) values.push_back(number(part));
  return values;
}

// "duration", "default", "exponential(start,factor,count)", or the bounds.
std::vector<double> bounds(std::string_view text) {
  if (text == "duration") return metrics::duration_buckets().full;
  if (text == "default") return metrics::default_buckets();
  if (!text.starts_with("exponential(")) return numbers(text, ' ');
  text.remove_prefix(12);
  text.remove_suffix(1);
  const std::vector<double> of = numbers(text, ',');
  return metrics::exponential_buckets(of.at(0), of.at(1), static_cast<size_t>(of.at(2)));
}

TEST(MetricNames, WithoutObservabilityOfTheStateThereAreNoneOfNodesPodsAndConditions) {
  cli::SimWorld::Options options;
  options.tune = [](controllers::ManagerOptions& manager) { manager.cluster_state_observability = false; };
  const auto world = cli::SimWorld::make(std::move(options));
  ASSERT_TRUE(world) << world.error().message;
  std::set<std::string> names;
  for (const metrics::Registered& one : (*world)->registry().registered()) names.insert(one.description.name);
  for (const char* gone : {"karpenter_nodes_allocatable", "karpenter_pods_state", "karpenter_nodepools_usage",
                           "operator_nodeclaim_status_condition_count"}) {
    EXPECT_FALSE(names.contains(gone)) << gone;
  }
  EXPECT_TRUE(names.contains("karpenter_nodeclaims_created_total"));
}

TEST(MetricNames, AreKarpentersWithTypeLabelsAndBuckets) {
  const auto all = every_metric();
  std::ifstream file(TENON_SOURCE_DIR "/tests/metrics/metric_names.tsv");
  size_t rows = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    const auto columns = split(line, '\t');
    ASSERT_EQ(columns.size(), 5u) << line;
    ++rows;
    const auto found = all.find(std::string(columns[0]));
    if (found == all.end()) {
      ADD_FAILURE() << columns[0] << " is not registered";
      continue;
    }
    const metrics::Registered& metric = found->second;
    EXPECT_EQ(metric.type, columns[1]) << line;
    const auto labels = all_labels(metric);
    if (columns[2] != "-") {
      for (const std::string_view label : split(columns[2], ' '))
        EXPECT_THAT(labels, testing::Contains(std::string(label))) << line;
    }
    ASSERT_EQ(metric.buckets.has_value(), columns[3] != "-") << line;
    if (metric.buckets) {
      EXPECT_EQ(metric.buckets->full, bounds(columns[3])) << line;
      for (const double bound : metric.buckets->standard)
        EXPECT_THAT(metric.buckets->full, testing::Contains(bound)) << line;
    }
    EXPECT_EQ(metric.description.from == metrics::Detail::kFull, columns[4] == "full") << line;
  }
  EXPECT_GT(rows, 140u);
}

TEST(MetricNames, AreInTheListOrOurOwn) {
  std::ifstream file(TENON_SOURCE_DIR "/tests/metrics/metric_names.tsv");
  std::set<std::string> known;
  for (std::string line; std::getline(file, line);) known.insert(line.substr(0, line.find('\t')));
  for (const auto& [name, metric] : every_metric()) {
    if (!name.starts_with("tenon_")) {
      EXPECT_THAT(known, testing::Contains(name));
    }
  }
}

}  // namespace
}  // namespace tenon::metrics_tests
