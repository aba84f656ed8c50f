// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/value.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/text.h"
#include "json/json.h"
#include "json/yaml.h"
#include "metrics/every_metric.h"
#include "metrics/promql.h"

namespace tenon::metrics_tests {
namespace {

using boost::json::value;

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Collects every string under one of these keys, with the keys on the way.
void collect(const value& at, const std::set<std::string>& keys, std::vector<std::string>& out) {
  if (const auto* object = at.if_object()) {
    for (const auto& [key, child] : *object) {
      if (child.is_string() && keys.contains(std::string(key))) out.emplace_back(child.as_string());
      collect(child, keys, out);
    }
  } else if (const auto* array = at.if_array()) {
    for (const value& child : *array) collect(child, keys, out);
  }
}

std::vector<std::filesystem::path> files(const char* folder, const char* extension) {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(TENON_SOURCE_DIR "/deploy/") + folder)) {
    if (entry.path().extension() == extension) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

class Queries : public ::testing::Test {
 protected:
  // Labels that Prometheus adds, and those of samples of histograms and summaries.
  static bool is_foreign(const std::string& label) {
    static const std::set<std::string> kForeign{"job", "instance", "cluster", "namespace", "le", "quantile"};
    return kForeign.contains(label);
  }

  // Returns the metric that a sample's name belongs to; null: there is none at standard detail.
  const metrics::Registered* metric_of(std::string name) const {
    for (const char* suffix : {"", "_bucket", "_sum", "_count"}) {
      if (!name.ends_with(suffix)) continue;
      const auto at = all_.find(name.substr(0, name.size() - std::string_view(suffix).size()));
      if (at == all_.end() || at->second.description.from == metrics::Detail::kFull) continue;
      const bool has_samples = at->second.type == "histogram" || (at->second.type == "summary" && name != "_bucket");
      if (std::string_view(suffix).empty() ? at->second.type != "histogram" : has_samples) return &at->second;
    }
    return nullptr;
  }

  void check(const std::string& expression, const std::set<std::string>& recorded = {}) {
    const Names names = names_in(expression);
    EXPECT_THAT(names.unknown, testing::IsEmpty()) << expression;
    EXPECT_THAT(names.selectors, testing::Not(testing::IsEmpty())) << expression;
    std::set<std::string> labels;
    for (const auto& [name, matched] : names.selectors) {
      if (recorded.contains(name)) {
        labels.insert(names.grouping.begin(), names.grouping.end());
        continue;
      }
      const metrics::Registered* metric = metric_of(name);
      if (!metric) {
        ADD_FAILURE() << name << " does not exist at standard detail: " << expression;
        continue;
      }
      const auto& of_metric = metric->description.labels;
      labels.insert(of_metric.begin(), of_metric.end());
      for (const std::string& label : matched) {
        if (!is_foreign(label)) {
          EXPECT_THAT(of_metric, testing::Contains(label)) << expression;
        }
      }
    }
    for (const std::string& label : names.grouping) {
      if (!is_foreign(label)) {
        EXPECT_THAT(labels, testing::Contains(label)) << expression;
      }
    }
  }

  const std::map<std::string, metrics::Registered> all_ = every_metric();
};

std::string without_variables(std::string text) {
  for (const auto& [variable, value] : std::map<std::string, std::string>{
           {"$__rate_interval", "5m"}, {"$__interval", "5m"}, {"$distribution", "nodepool"}}) {
    for (size_t at = 0; (at = text.find(variable, at)) != std::string::npos;) text.replace(at, variable.size(), value);
  }
  return text;
}

TEST_F(Queries, OfDashboardsNameSeriesAtStandardDetail) {
  const auto dashboards = files("grafana", ".json");
  ASSERT_EQ(dashboards.size(), 4u);
  for (const auto& path : dashboards) {
    SCOPED_TRACE(path.filename());
    const auto dashboard = json::parse(read(path));
    ASSERT_TRUE(dashboard) << dashboard.error().message;
    std::vector<std::string> expressions;
    collect(*dashboard, {"expr", "definition"}, expressions);
    EXPECT_GT(expressions.size(), 5u);
    for (const std::string& expression : expressions) {
      // label_values(metric, label) is Grafana's own.
      if (expression.starts_with("label_values(")) {
        const auto parts = split(std::string_view(expression).substr(13, expression.size() - 14), ',');
        ASSERT_EQ(parts.size(), 2u) << expression;
        check("sum by (" + std::string(trim(parts[1])) + ") (" + std::string(parts[0]) + ")");
      } else {
        check(without_variables(expression));
      }
    }
  }
}

TEST_F(Queries, OfRulesNameSeriesAtStandardDetail) {
  const auto rules = files("prometheus", ".yaml");
  std::set<std::string> recorded;
  std::vector<std::string> expressions;
  for (const auto& path : rules) {
    const auto documents = json::parse_yaml(read(path));
    ASSERT_TRUE(documents) << documents.error().message;
    for (const auto& document : *documents) {
      std::vector<std::string> names;
      collect(document, {"record"}, names);
      recorded.insert(names.begin(), names.end());
      collect(document, {"expr"}, expressions);
    }
  }
  EXPECT_GT(expressions.size(), 15u);
  EXPECT_GT(recorded.size(), 3u);
  for (const std::string& expression : expressions) check(expression, recorded);
}

TEST_F(Queries, TheCheckFindsWrongOnes) {
  const auto failures = [&](const std::string& expression) {
    testing::TestPartResultArray found;
    {
      const testing::ScopedFakeTestPartResultReporter reporter(
          testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &found);
      check(expression);
    }
    return found.size();
  };
  EXPECT_EQ(failures("sum by (phase) (rate(karpenter_pods_state{nodepool=~\"a|b\"}[5m])) / 2"), 0);
  EXPECT_GT(failures("sum(karpenter_pod_state)"), 0);
  EXPECT_GT(failures("sum(karpenter_pods_state{node=\"n\"})"), 0);
  EXPECT_GT(failures("sum by (namespaces) (karpenter_pods_state)"), 0);
  EXPECT_GT(failures("karpenter_nodes_system_overhead"), 0);
  EXPECT_GT(failures("karpenter_nodeclaims_termination_duration_seconds"), 0);
  EXPECT_GT(failures("summ(karpenter_pods_state)"), 0);
  EXPECT_GT(failures("1 + 2"), 0);
}

}  // namespace
}  // namespace tenon::metrics_tests
