// SPDX-License-Identifier: Apache-2.0
#include "catalog/catalog.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

namespace tenon::catalog {
namespace {

TEST(Catalog, FindsATypeWithItsFacts) {
  const InstanceFacts* m5 = find_instance_type("m5.large");
  ASSERT_NE(m5, nullptr);
  EXPECT_EQ(m5->category, "m");
  EXPECT_EQ(m5->generation, "5");
  EXPECT_EQ(m5->family, "m5");
  EXPECT_EQ(m5->size, "large");
  EXPECT_EQ(m5->arch, "amd64");
  EXPECT_EQ(m5->vcpus, 2);
  EXPECT_EQ(m5->memory_mib, 8192);
  EXPECT_EQ(m5->default_card_enis, 3);
  EXPECT_EQ(m5->ipv4_per_eni, 10);
  EXPECT_EQ(m5->hypervisor, "nitro");
  ASSERT_TRUE(m5->on_demand);
  EXPECT_EQ(*m5->on_demand, model::Price(96'000'000'000));
  EXPECT_EQ(find_instance_type("m5.huge"), nullptr);
  EXPECT_EQ(find_instance_type(""), nullptr);
}

TEST(Catalog, ReadsDevices) {
  const InstanceFacts* p3 = find_instance_type("p3.8xlarge");
  ASSERT_NE(p3, nullptr);
  ASSERT_EQ(p3->gpus.size(), 1u);
  EXPECT_EQ(p3->gpus.front(), (Gpu{"v100", "nvidia", 4, 16384}));
  const InstanceFacts* trn = find_instance_type("trn1.32xlarge");
  ASSERT_NE(trn, nullptr);
  ASSERT_TRUE(trn->accelerator);
  EXPECT_EQ(*trn->accelerator, (Accelerator{"trainium", "aws", 16, 32}));
  EXPECT_EQ(trn->efas, 8);
  EXPECT_TRUE(find_instance_type("m5.large")->gpus.empty());
}

struct NameRow {
  const char* name;
  const char* category;
  const char* generation;
  bool flex, metal, spot;
};

TEST(Catalog, ReadsNames) {
  const NameRow rows[] = {
      {"m5.large", "m", "5", false, false, true},          {"m7i-flex.2xlarge", "m", "7", true, false, true},
      {"g4dn.metal", "g", "4", false, true, true},         {"c7i.metal-24xl", "c", "7", false, true, true},
      {"u-6tb1.112xlarge", "u", "1", false, false, false}, {"u7i-6tb.112xlarge", "u", "7", false, false, false},
      {"hpc7a.96xlarge", "hpc", "7", false, false, false}, {"p6-b200.48xlarge", "p", "6", false, false, true},
      {"x2gd.medium", "x", "2", false, false, true},       {"mystery.large", "", "", false, false, true}};
  for (const NameRow& row : rows) {
    InstanceFacts facts;
    set_name_facts(facts, row.name);
    EXPECT_EQ(facts.category, row.category) << row.name;
    EXPECT_EQ(facts.generation, row.generation) << row.name;
    EXPECT_EQ(facts.flex, row.flex) << row.name;
    EXPECT_EQ(facts.bare_metal, row.metal) << row.name;
    EXPECT_EQ(facts.spot, row.spot) << row.name;
  }
}

TEST(Catalog, EveryRowIsComplete) {
  EXPECT_GT(all_instance_types().size(), 1350u);
  for (const InstanceFacts& facts : all_instance_types()) {
    EXPECT_GT(facts.vcpus, 0) << facts.name;
    EXPECT_GT(facts.memory_mib, 0) << facts.name;
    EXPECT_FALSE(facts.category.empty()) << facts.name;
    EXPECT_FALSE(facts.generation.empty()) << facts.name;
    EXPECT_TRUE(facts.arch == "amd64" || facts.arch == "arm64") << facts.name;
    EXPECT_GE(facts.enis, facts.default_card_enis) << facts.name;
    EXPECT_EQ(find_instance_type(facts.name), &facts);
  }
}

// The API reports neither branch interfaces nor bandwidth: a missing entry here is missing on nodes (pods that request
// vpc.amazonaws.com/pod-eni are never placed on such a type).
TEST(Catalog, EveryTypeThatCanTrunkHasItsBranchInterfaces) {
  std::ifstream in(TENON_SOURCE_DIR "/src/catalog/testdata/branch-interfaces.tsv");
  ASSERT_TRUE(in);
  size_t rows = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream cells(line);
    std::string name;
    int64_t branch = -1;
    cells >> name >> branch;
    ASSERT_TRUE(cells) << line;
    EXPECT_EQ(network_facts(name).branch_enis, branch) << name;
    ++rows;
  }
  EXPECT_EQ(rows, 1401u);
}

// AWS publishes words ("Moderate") or nothing for these families, and a number for every other type.
TEST(Catalog, EveryTypeWithAPublishedBandwidthHasIt) {
  const std::set<std::string> in_words = {"c1", "c3", "c4", "d2", "f1", "g2", "g3s", "i2", "m1",
                                          "m2", "m3", "m4", "p2", "r3", "t1", "t2"};
  for (const InstanceFacts& facts : all_instance_types()) {
    if (in_words.contains(facts.family)) continue;
    EXPECT_GT(network_facts(facts.name).network_mbps, 0) << facts.name;
  }
  for (const char* name :
       {"mac-m3ultra.metal", "mac-m4.metal", "mac-m4max.metal", "mac-m4pro.metal", "mac1.metal", "mac2-m1ultra.metal",
        "mac2-m2.metal", "mac2-m2pro.metal", "mac2.metal", "p6e-gb200.36xlarge", "trn2.3xlarge", "trn2u.48xlarge",
        "u-12tb1.metal", "u-18tb1.metal", "u-24tb1.metal", "u-6tb1.metal", "u-9tb1.metal", "u7inh-32tb.480xlarge"}) {
    EXPECT_GT(network_facts(name).network_mbps, 0) << name;
  }
  EXPECT_EQ(network_facts("m5.large").network_mbps, 750);
  EXPECT_EQ(network_facts("no.such").network_mbps, 0);
}

TEST(Catalog, ListPricesStayInTheirPartition) {
  EXPECT_EQ(list_price("aws", "m5.large"), model::parse_price("0.096"));
  EXPECT_EQ(list_price("aws-us-gov", "m5.large"), model::parse_price("0.121"));
  EXPECT_EQ(list_price("aws-us-gov", "c7i.48xlarge"), model::parse_price("10.2816"));
  EXPECT_EQ(list_price("aws-us-gov", "m9g.large"), std::nullopt) << "not on that list";
  for (const char* partition : {"aws-cn", "aws-eusc", "aws-iso", ""}) {
    EXPECT_EQ(list_price(partition, "m5.large"), std::nullopt) << partition;
  }
}

TEST(Catalog, DemoHoldsTheFamiliesOfTheWalkthroughs) {
  std::set<std::string> names;
  for (const InstanceFacts* facts : demo_instance_types()) names.insert(facts->name);
  EXPECT_GE(names.size(), 120u);
  for (const char* name : {"c5.large", "m5.large", "r5.large", "m5.xlarge", "t4g.nano", "p2.xlarge", "p2.16xlarge",
                           "p3.2xlarge", "p3.16xlarge", "c5n.xlarge", "c5n.18xlarge"})
    EXPECT_TRUE(names.contains(name)) << name;
}

TEST(Catalog, SpotPricesAreExactSharesOfTheList) {
  ASSERT_EQ(demo_zones().size(), 4u);
  EXPECT_EQ(demo_zones()[2].id, "use1-az4");
  const InstanceFacts* m5 = find_instance_type("m5.large");
  const int64_t expected[] = {33'600'000'000, 30'720'000'000, 36'480'000'000, 28'800'000'000};
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(demo_spot_price(*m5, demo_zones()[i]), model::Price(expected[i]));
  for (const InstanceFacts& facts : all_instance_types()) {
    if (!facts.on_demand || !facts.spot) {
      EXPECT_EQ(demo_spot_price(facts, demo_zones()[0]), std::nullopt) << facts.name;
      continue;
    }
    for (const Zone& zone : demo_zones())
      EXPECT_EQ(demo_spot_price(facts, zone)->value() * 100, facts.on_demand->value() * zone.spot_percent)
          << facts.name;
  }
}

}  // namespace
}  // namespace tenon::catalog
