// SPDX-License-Identifier: Apache-2.0
#include "metrics/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

namespace tenon::metrics {
namespace {

using testing::HasSubstr;

TEST(Registry, TextOfEveryKind) {
  Registry registry;
  registry.counter({"b_total", "Counts \\ b\nand more.", {"code", "method"}})
      .add({{"method", "a\"b\\c\nd"}, {"code", "200"}}, 3);
  registry.gauge({"a_gauge", "A gauge."}).set(-1.5);
  auto& histogram = registry.histogram({"c_seconds", "Durations.", {"pool"}}, {0.1, 1, 10});
  for (const double value : {0.05, 0.1, 0.5, 100.0}) histogram.observe({{"pool", "x"}}, value);
  auto& summary = registry.summary({"d_seconds", "Summary."}, {0.5, 1});
  for (const double value : {1.0, 2.0, 3.0}) summary.observe(value);
  EXPECT_EQ(registry.text(),
            "# HELP a_gauge A gauge.\n"
            "# TYPE a_gauge gauge\n"
            "a_gauge -1.5\n"
            "# HELP b_total Counts \\\\ b\\nand more.\n"
            "# TYPE b_total counter\n"
            "b_total{code=\"200\",method=\"a\\\"b\\\\c\\nd\"} 3\n"
            "# HELP c_seconds Durations.\n"
            "# TYPE c_seconds histogram\n"
            "c_seconds_bucket{pool=\"x\",le=\"0.1\"} 2\n"
            "c_seconds_bucket{pool=\"x\",le=\"1\"} 3\n"
            "c_seconds_bucket{pool=\"x\",le=\"10\"} 3\n"
            "c_seconds_bucket{pool=\"x\",le=\"+Inf\"} 4\n"
            "c_seconds_sum{pool=\"x\"} 100.65\n"
            "c_seconds_count{pool=\"x\"} 4\n"
            "# HELP d_seconds Summary.\n"
            "# TYPE d_seconds summary\n"
            "d_seconds{quantile=\"0.5\"} 2\n"
            "d_seconds{quantile=\"1\"} 3\n"
            "d_seconds_sum 6\n"
            "d_seconds_count 3\n");
}

TEST(Registry, AMetricWithLabelsShowsOnlyOnceItHasASeries) {
  Registry registry;
  auto& counter = registry.counter({"c_total", "C.", {"type"}});
  registry.counter({"plain_total", "P."});
  EXPECT_EQ(registry.text(), "# HELP plain_total P.\n# TYPE plain_total counter\nplain_total 0\n");
  counter.touch({{"type", "multi"}});
  EXPECT_THAT(registry.text(), HasSubstr("c_total{type=\"multi\"} 0\n"));
}

TEST(Registry, AskingAgainGivesTheSameMetric) {
  Registry registry;
  registry.counter({"c_total", "C.", {"a"}}).add({{"a", "1"}});
  EXPECT_EQ(registry.counter({"c_total", "C.", {"a"}}).value({{"a", "1"}}), 1);
}

TEST(Registry, NumbersThatAreNotNumbers) {
  Registry registry;
  auto& gauge = registry.gauge({"g", "G.", {"n"}});
  gauge.set({{"n", "1"}}, std::nan(""));
  gauge.set({{"n", "2"}}, INFINITY);
  gauge.set({{"n", "3"}}, -INFINITY);
  EXPECT_THAT(registry.text(), HasSubstr("g{n=\"1\"} NaN\ng{n=\"2\"} +Inf\ng{n=\"3\"} -Inf\n"));
}

TEST(Metric, RemoveMatchingTakesEverySeriesWithTheseLabels) {
  Gauge gauge({"g", "G.", {"node", "resource", "zone"}});
  for (const std::string node : {"n1", "n2"}) {
    for (const std::string resource : {"cpu", "memory"}) {
      gauge.set({{"node", node}, {"resource", resource}, {"zone", "a"}}, 1);
    }
  }
  EXPECT_EQ(gauge.remove_matching({{"node", "n1"}, {"zone", "b"}}), 0u);
  EXPECT_EQ(gauge.remove_matching({{"node", "n1"}, {"zone", "a"}}), 2u);
  EXPECT_EQ(gauge.series(), 2u);
  gauge.remove({{"node", "n2"}, {"resource", "cpu"}, {"zone", "a"}});
  EXPECT_EQ(gauge.series(), 1u);
  EXPECT_EQ(gauge.remove_matching({}), 1u);
}

TEST(Metric, ALabelThatIsLeftOutIsEmpty) {
  Counter counter({"c_total", "C.", {"a", "b"}});
  counter.add({{"b", "x"}});
  counter.add({{"a", ""}, {"b", "x"}});
  EXPECT_EQ(counter.value({{"b", "x"}}), 2);
  EXPECT_EQ(counter.value({{"a", "y"}}), 0);
}

TEST(Summary, QuantilesForgetOldObservations) {
  Summary summary({"s", "S."}, {0.5});
  EXPECT_TRUE(std::isnan(summary.quantile(0.5)));
  for (size_t i = 0; i < 2 * kSummaryWindow; ++i) summary.observe(i < kSummaryWindow ? 1000 : 1);
  EXPECT_EQ(summary.quantile(1), 1);
  EXPECT_EQ(summary.quantile(0), 1);
  EXPECT_EQ(summary.count(), 2 * kSummaryWindow);
}

TEST(Buckets, AsKarpenterHasThem) {
  EXPECT_EQ(duration_buckets().full.size(), 45u);
  EXPECT_EQ(duration_buckets().full.back(), 600);
  EXPECT_EQ(exponential_buckets(1, 2, 4), (std::vector<double>{1, 2, 4, 8}));
}

TEST(Metric, ThreadsDoNotLoseCounts) {
  Registry registry;
  auto& counter = registry.counter({"c_total", "C.", {"t"}});
  auto& histogram = registry.histogram({"h", "H."});
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 1000; ++i) {
          counter.add({{"t", std::to_string(i % 7)}});
          histogram.observe(i);
          if (i % 100 == t) (void)registry.text();
        }
      });
    }
  }
  double total = 0;
  for (int i = 0; i < 7; ++i) total += counter.value({{"t", std::to_string(i)}});
  EXPECT_EQ(total, 4000);
  EXPECT_EQ(histogram.count(), 4000u);
}

TEST(MetricDeathTest, WrongNamesAndLabelsAreBugs) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Registry registry;
  auto& counter = registry.counter({"c_total", "C.", {"a"}});
  EXPECT_DEATH(counter.add({{"b", "1"}}), "c_total: has no label 'b'");
  EXPECT_DEATH(counter.add({{"a", "1"}}, -1), "a counter only grows");
  EXPECT_DEATH(registry.gauge({"c_total", "C.", {"a"}}), "c_total: registered twice, as two kinds");
  EXPECT_DEATH(registry.counter({"c_total", "C.", {"b"}}), "c_total: registered twice, with other labels");
  EXPECT_DEATH(registry.counter({"c-total", "C."}), "not a metric name");
}

TEST(Detail, StandardSumsTheSeriesOfObjectsAndLeavesOutMetricsOfFull) {
  for (const Detail detail : {Detail::kStandard, Detail::kFull}) {
    Registry registry(detail);
    auto& pods = registry.gauge({"pods", "P.", {"phase"}, {"name"}});
    pods.add({{"phase", "Running"}, {"name", "a"}}, 1);
    pods.add({{"phase", "Running"}, {"name", "b"}}, 1);
    registry.gauge({"ages", "A.", {"n"}, {}, Detail::kFull}).set({{"n", "1"}}, 5);
    registry.counter({"plain_total", "C.", {}, {}, Detail::kFull}).add();
    registry.histogram({"h", "H."}, {{1, 2, 3}, {2}}).observe(2.5);
    const std::string text = registry.text();
    if (detail == Detail::kStandard) {
      EXPECT_EQ(text,
                "# HELP h H.\n# TYPE h histogram\nh_bucket{le=\"2\"} 0\nh_bucket{le=\"+Inf\"} 1\nh_sum 2.5\n"
                "h_count 1\n# HELP pods P.\n# TYPE pods gauge\npods{phase=\"Running\"} 2\n");
    } else {
      EXPECT_THAT(text, HasSubstr("pods{phase=\"Running\",name=\"b\"} 1\n"));
      EXPECT_THAT(text, HasSubstr("ages{n=\"1\"} 5\n"));
      EXPECT_THAT(text, HasSubstr("plain_total 1\n"));
      EXPECT_THAT(text, HasSubstr("h_bucket{le=\"3\"} 1\n"));
    }
    EXPECT_EQ(pods.remove_matching({{"phase", "Running"}, {"name", "a"}}), 1u);
  }
}

TEST(Detail, TheStandardBucketsAreSomeOfTheFullOnes) {
  const Buckets buckets = duration_buckets();
  EXPECT_THAT(buckets.standard.size(), testing::Le(16u));
  for (const double bound : buckets.standard) EXPECT_THAT(buckets.full, testing::Contains(bound));
}

TEST(Metric, ForeignTextInALabelDoesNotExhaustMemory) {
  Registry registry;
  auto& counter = registry.counter({"c_total", "C.", {"reason"}});
  for (size_t i = 0; i < kMostSeries + 100; ++i) counter.add({{"reason", "r" + std::to_string(i)}});
  EXPECT_EQ(counter.series(), kMostSeries + 1);
  EXPECT_EQ(counter.value({{"reason", kOtherSeries}}), 100);
  counter.add({{"reason", "r1"}});
  EXPECT_EQ(counter.value({{"reason", "r1"}}), 2);
}

TEST(Registry, TheSeriesOfAnObjectAreRemovedFromEveryMetric) {
  Registry registry;
  auto& counter = registry.counter({"c_total", "C.", {"nodepool", "zone"}});
  auto& histogram = registry.histogram({"h", "H.", {"nodepool"}});
  auto& other = registry.counter({"other_total", "O.", {"zone"}});
  for (const char* pool : {"a", "b"}) {
    counter.add({{"nodepool", pool}, {"zone", "a"}});
    histogram.observe({{"nodepool", pool}}, 1);
  }
  other.add({{"zone", "a"}});
  registry.remove_series("nodepool", "a");
  EXPECT_EQ(counter.series(), 1u);
  EXPECT_EQ(histogram.series(), 1u);
  EXPECT_EQ(other.series(), 1u);
}

TEST(Registry, ListsWhatIsRegistered) {
  Registry registry(Detail::kStandard);
  registry.histogram({"h", "H.", {"a"}, {"b"}, Detail::kFull}, {1, 2});
  registry.gauge({"g", "G."});
  const auto all = registry.registered();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].type, "gauge");
  EXPECT_EQ(all[1].description.full_labels, std::vector<std::string>{"b"});
  EXPECT_EQ(all[1].buckets->full, (std::vector<double>{1, 2}));
}

class Clock : public Collector {
 public:
  explicit Clock(Registry& registry) : age_(registry.gauge({"age_seconds", "A.", {"n"}})) {}
  void before_text() override { age_.set({{"n", "1"}}, ++now_); }
  void after_text() override { age_.remove_matching({}); }

 private:
  Gauge& age_;
  double now_ = 0;
};

TEST(Registry, WhatIsCollectedIsMadeForEachTextAndNotKept) {
  Registry registry;
  auto clock = std::make_shared<Clock>(registry);
  registry.add(clock);
  EXPECT_THAT(registry.text(), HasSubstr("age_seconds{n=\"1\"} 1\n"));
  EXPECT_THAT(registry.text(), HasSubstr("age_seconds{n=\"1\"} 2\n"));
  EXPECT_EQ(registry.gauge({"age_seconds", "A.", {"n"}}).series(), 0u);
  clock.reset();
  EXPECT_EQ(registry.text(), "");
}

}  // namespace
}  // namespace tenon::metrics
