// SPDX-License-Identifier: Apache-2.0
#include "metrics/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenon::metrics {
namespace {

// parity: OpenMetrics 1.0 (specification/OpenMetrics.md), as prometheus/common expfmt writes it
TEST(OpenMetrics, TextOfEveryKind) {
  Registry registry;
  registry.counter({"b_total", "Counts \"b\".", {"code"}}).add({{"code", "200"}}, 3);
  registry.counter({"old_created", "Without a suffix."}).add();
  registry.gauge({"a_gauge", "A gauge."}).set(-1.5);
  registry.histogram({"c_seconds", "Durations."}, {0.5, 1, 1e21}).observe(0.7);
  registry.summary({"d_seconds", "Summary."}, {0.5, 1}).observe(2);
  EXPECT_EQ(registry.text(Format::kOpenMetrics),
            "# HELP a_gauge A gauge.\n"
            "# TYPE a_gauge gauge\n"
            "a_gauge -1.5\n"
            "# HELP b Counts \\\"b\\\".\n"
            "# TYPE b counter\n"
            "b_total{code=\"200\"} 3\n"
            "# HELP c_seconds Durations.\n"
            "# TYPE c_seconds histogram\n"
            "c_seconds_bucket{le=\"0.5\"} 0\n"
            "c_seconds_bucket{le=\"1.0\"} 1\n"
            "c_seconds_bucket{le=\"1e+21\"} 1\n"
            "c_seconds_bucket{le=\"+Inf\"} 1\n"
            "c_seconds_sum 0.7\n"
            "c_seconds_count 1\n"
            "# HELP d_seconds Summary.\n"
            "# TYPE d_seconds summary\n"
            "d_seconds{quantile=\"0.5\"} 2\n"
            "d_seconds{quantile=\"1.0\"} 2\n"
            "d_seconds_sum 2\n"
            "d_seconds_count 1\n"
            "# HELP old_created Without a suffix.\n"
            "# TYPE old_created unknown\n"
            "old_created 1\n"
            "# EOF\n");
}

TEST(OpenMetrics, AFamilyHasOneHead) {
  Registry registry;
  auto& old = registry.counter({"nodes_created", "Old.", {"n"}});
  registry.counter({"nodes_created_total", "New."}).add();
  EXPECT_EQ(registry.text(Format::kOpenMetrics),
            "# HELP nodes_created New.\n# TYPE nodes_created counter\nnodes_created_total 1\n# EOF\n");
  old.add({{"n", "1"}});
  EXPECT_EQ(registry.text(Format::kOpenMetrics),
            "# HELP nodes_created Old.\n# TYPE nodes_created unknown\nnodes_created{n=\"1\"} 1\n"
            "nodes_created_total 1\n# EOF\n");
}

TEST(Negotiate, ByTheAcceptHeader) {
  struct Row {
    const char* accept;
    Format format;
  };
  const Row rows[] = {
      {"", Format::kText},
      {"*/*", Format::kText},
      {"text/plain", Format::kText},
      {"application/openmetrics-text", Format::kOpenMetrics},
      // Prometheus 2.42 and 3
      {"application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
       "text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
       Format::kOpenMetrics},
      {"application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,text/plain;version=0.0.4;q=0.4",
       Format::kOpenMetrics},
      {"application/openmetrics-text; version=0.0.1; q=0.3, text/plain; q=0.5", Format::kText},
      {"application/openmetrics-text;q=0", Format::kText},
      {"application/openmetrics-text;version=2.0.0,text/plain;q=0.1", Format::kText},
      {"application/openmetrics-text;q=much", Format::kText},
      {"application/json", Format::kText},
  };
  for (const Row& row : rows) EXPECT_EQ(negotiate(row.accept), row.format) << row.accept;
  EXPECT_THAT(content_type(Format::kOpenMetrics), testing::StartsWith("application/openmetrics-text; version=1.0.0"));
}

}  // namespace
}  // namespace tenon::metrics
