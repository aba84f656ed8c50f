// SPDX-License-Identifier: Apache-2.0
#include "api_reference.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace tenon::house {
namespace {

TEST(ApiReference, IsThePageInTheDocuments) {
  std::ifstream file(TENON_SOURCE_DIR "/docs/reference/api.md");
  std::stringstream committed;
  committed << file.rdbuf();
  const auto page = api_reference();
  ASSERT_TRUE(page) << page.error().message;
  const auto left = std::filesystem::temp_directory_path() / "tenon-api.md";
  std::filesystem::remove(left);
  if (committed.str() == *page) return;
  std::ofstream(left) << *page;
  FAIL() << "docs/reference/api.md differs from deploy/crds. If that is meant: cp " << left.string()
         << " docs/reference/api.md";
}

TEST(ApiReference, HasTypesDefaultsAndRules) {
  const auto page = api_reference();
  ASSERT_TRUE(page);
  for (const char* row : {"| `spec.disruption.consolidationPolicy` | string | `WhenEmptyOrUnderutilized` | one of ",
                          "| `spec.weight` | integer (int32) |  | minimum `1`; maximum `100` |",
                          "| `spec.template.spec.nodeClassRef` | object |  | *required*; ",
                          "| `spec.limits` | map of integer or string |", "## Provisioner (karpenter.sh/v1alpha5)",
                          "## NodePool (karpenter.sh/v1beta1)", "## CapacityBuffer (autoscaling.x-k8s.io/"}) {
    EXPECT_NE(page->find(row), std::string::npos) << row;
  }
}

}  // namespace
}  // namespace tenon::house
