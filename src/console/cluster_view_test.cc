// SPDX-License-Identifier: Apache-2.0
#include "console/cluster_view.h"

#include <gtest/gtest.h>

namespace tenon::console {
namespace {

ClusterView two_nodes() {
  ClusterView view;
  view.nodes = {{"ip-10-0-1-7.ec2.internal", "m5.large", "us-east-1a", "on-demand", "default", "ready",
                 *model::parse_price("0.096"), 5, 965, 1930, 5LL << 30, 7LL << 30},
                {"default-x7x2k", "c5.large", "us-east-1b", "spot", "default", "joining", *model::parse_price("0.0272"),
                 0, 0, 1930, 0, 0}};
  view.total = view.nodes[0].price + view.nodes[1].price;
  view.pending = {"default/inflate-1"};
  view.decisions = {"12:00:01 launched c5.large"};
  return view;
}

TEST(ClusterView, ShowsNodesPricesBarsPendingPodsAndDecisions) {
  EXPECT_EQ(render_text(two_nodes(), {.width = 140}),
            "2 nodes   $0.1232/hour   $89.94/month\n"
            "  NODE                      TYPE          ZONE        CAPACITY     $/HOUR  PODS  CPU              MEMORY "
            "          STATE\n"
            "  ip-10-0-1-7.ec2.internal  m5.large      us-east-1a  on-demand   $0.0960     5  █████░░░░░  50%  "
            "███████░░░  71%  ready\n"
            "  default-x7x2k             c5.large      us-east-1b  spot        $0.0272     0  ░░░░░░░░░░   0%         "
            "       -  joining\n"
            "\n1 pending pod\n  default/inflate-1\n\nlast decisions\n  12:00:01 launched c5.large\n");
}

TEST(ClusterView, CountsWhatDoesNotFit) {
  ClusterView view = two_nodes();
  const std::string text = render_text(view, {.width = 60, .max_nodes = 1});
  EXPECT_NE(text.find("… and 1 more nodes"), std::string::npos);
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    size_t columns = 0;
    for (size_t i = at; i < end; ++i) columns += (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
    EXPECT_LE(columns, 60u);
    at = end + 1;
  }
}

TEST(ClusterView, AnEmptyClusterSaysSo) {
  const std::string text = render_text({}, {});
  EXPECT_NE(text.find("0 nodes   $0.0000/hour"), std::string::npos);
  EXPECT_NE(text.find("none yet"), std::string::npos);
}

}  // namespace
}  // namespace tenon::console
