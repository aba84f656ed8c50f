// SPDX-License-Identifier: Apache-2.0
#include "cli/controller/controller_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenon::cli {
namespace {

TEST(ControllerOptions, AreRefusedByName) {
  using Options = ControllerOptions;
  struct Case {
    const char* what;
    void (*change)(Options&);
    const char* problem;  // "": none
  };
  const Case cases[] = {
      {"as they are", [](Options&) {}, ""},
      {"no name", [](Options& o) { o.cluster_name.clear(); }, "missing field, cluster-name"},
      {"an endpoint", [](Options& o) { o.cluster_endpoint = "https://demo.test:6443"; }, ""},
      {"no URL", [](Options& o) { o.cluster_endpoint = "demo.test"; }, "not a valid cluster endpoint URL"},
      {"a URL without a host", [](Options& o) { o.cluster_endpoint = "https://"; }, "not a valid cluster endpoint URL"},
      {"no overhead", [](Options& o) { o.vm_memory_overhead_percent = 0; }, ""},
      {"less than none", [](Options& o) { o.vm_memory_overhead_percent = -0.1; }, "vm-memory-overhead-percent"},
      {"interfaces", [](Options& o) { o.reserved_enis = -1; }, "reserved-enis"},
      {"a minute", [](Options& o) { o.ami_refresh = o.subnet_refresh = 1min; }, ""},
      {"images too often", [](Options& o) { o.ami_refresh = 59s; }, "ami-refresh-interval must be at least 1m"},
      {"launches", [](Options& o) { o.max_launches_per_minute = -1; }, "max-launches-per-minute: -1 is not a number"},
      {"a price", [](Options& o) { o.max_hourly_price = "12.5"; }, ""},
      {"no price", [](Options& o) { o.max_hourly_price = "12 USD"; },
       "max-hourly-price: \"12 USD\" is not an amount of USD"},
      {"an empty price", [](Options& o) { o.max_hourly_price = ""; }, "max-hourly-price: \"\" is not an amount"},
      {"a negative price", [](Options& o) { o.max_hourly_price = "-1"; }, "max-hourly-price: \"-1\" is not"},
      {"no cloud needs no name",
       [](Options& o) {
         o.cloud = "kwok";
         o.cluster_name.clear();
       },
       ""},
      {"zones of no cloud",
       [](Options& o) {
         o.cloud = "kwok";
         o.enable_zonal_shift = true;
       },
       "enable-zonal-shift: --cloud kwok has no zones"},
      {"types of kwok on AWS", [](Options& o) { o.kwok_instance_types = "types.json"; },
       "instance-types-file-path: AWS"},
      {"subnets too often", [](Options& o) { o.subnet_refresh = 1s; }, "subnet-refresh-interval must be at least 1m"},
  };
  for (const Case& c : cases) {
    Options options;
    options.cluster_name = "demo";
    c.change(options);
    const Status checked = check_options(options);
    const std::string problem = checked ? "" : checked.error().message;
    EXPECT_EQ(problem.empty(), *c.problem == '\0') << c.what << ": " << problem;
    EXPECT_THAT(problem, ::testing::HasSubstr(c.problem)) << c.what;
  }
}

TEST(ControllerOptions, TheCapsOnLaunches) {
  ControllerOptions options;
  EXPECT_FALSE(caps_of(options)->any());
  options.max_launches_per_minute = 7;
  options.max_hourly_price = "12.5";
  const auto caps = caps_of(options);
  EXPECT_EQ(caps->launches_per_minute, 7);
  EXPECT_EQ(caps->hourly_price, model::parse_price("12.5"));
}

TEST(ControllerOptions, TheCaThatNodesTrust) {
  ControllerOptions options;
  EXPECT_EQ(nodes_ca(options, ""), "");
  EXPECT_EQ(nodes_ca(options, "PEM"), "UEVN");
  options.cluster_ca_bundle = "Q0E=";
  EXPECT_EQ(nodes_ca(options, "PEM"), "Q0E=");
}

TEST(ControllerOptions, WhereTheLeaseIs) {
  ControllerOptions options;
  EXPECT_EQ(lease_namespace(options, "", ""), "kube-system");
  EXPECT_EQ(lease_namespace(options, "", "mine"), "mine");
  EXPECT_EQ(lease_namespace(options, "system", "mine"), "system");
  options.leader_namespace = "told";
  EXPECT_EQ(lease_namespace(options, "system", "mine"), "told");
}

}  // namespace
}  // namespace tenon::cli
