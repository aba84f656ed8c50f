// SPDX-License-Identifier: Apache-2.0
#include "json/yaml_lines.h"

#include <gtest/gtest.h>

namespace tenon::json {
namespace {

constexpr const char* kText = R"(# a comment
apiVersion: v1
metadata:
  labels: {karpenter.sh/a: "1", b: "2"}
spec:
  list:
    - key: x
      values: [p,
               q]
    - key: y
---
# empty
---
kind: Second
spec: &anchor
  a: 1
other: *anchor
)";

TEST(YamlLines, PathsOfSeveralDocuments) {
  const YamlLines lines(kText);
  EXPECT_EQ(lines.of(1, ""), 2u);
  EXPECT_EQ(lines.of(1, "metadata.labels[karpenter.sh/a]"), 4u);
  EXPECT_EQ(lines.of(1, "spec"), 5u);
  EXPECT_EQ(lines.of(1, "spec.list[0]"), 7u);
  EXPECT_EQ(lines.of(1, "spec.list[0].values[1]"), 9u);
  EXPECT_EQ(lines.of(1, "spec.list[1].key"), 10u);
  EXPECT_EQ(lines.of(2, "kind"), 14u);
  EXPECT_EQ(lines.of(2, "other"), 17u);
  EXPECT_EQ(lines.of(3, "kind"), 0u);
}

TEST(YamlLines, AMissingFieldHasTheLineOfItsParent) {
  const YamlLines lines(kText);
  EXPECT_EQ(lines.of(1, "spec.list[1].operator"), 10u);
  EXPECT_EQ(lines.of(1, "spec.list[7]"), 6u);
  EXPECT_EQ(lines.of(1, "status.x"), 2u);
}

TEST(YamlLines, JsonAndBrokenTexts) {
  EXPECT_EQ(YamlLines("{\"a\": {\n\"b\": 1}}").of(1, "a.b"), 2u);
  EXPECT_EQ(YamlLines("a: 1\nb: [\n").of(1, "a"), 1u);
  EXPECT_EQ(YamlLines("").of(1, "a"), 0u);
}

}  // namespace
}  // namespace tenon::json
