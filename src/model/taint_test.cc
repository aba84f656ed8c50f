// SPDX-License-Identifier: Apache-2.0
#include "model/taint.h"

#include <gtest/gtest.h>

namespace tenon::model {
namespace {

Toleration tolerate(std::string key, std::string op, std::string value, std::string effect) {
  return {std::move(key), std::move(op), std::move(value), std::move(effect), std::nullopt};
}

TEST(Taint, Tolerates) {
  const Taint gpu{"dedicated", "gpu", "NoSchedule", std::nullopt};
  const Taint seven{"rank", "7", "NoSchedule", std::nullopt};
  struct Row {
    Toleration toleration;
    const Taint& taint;
    bool expected;
    const char* why;
  };
  const Row rows[] = {
      {tolerate("dedicated", "Equal", "gpu", "NoSchedule"), gpu, true, "all equal"},
      {tolerate("dedicated", "", "gpu", ""), gpu, true, "Equal is the default, no effect matches every effect"},
      {tolerate("dedicated", "Equal", "cpu", "NoSchedule"), gpu, false, "other value"},
      {tolerate("dedicated", "Exists", "", "NoExecute"), gpu, false, "other effect"},
      {tolerate("dedicated", "Exists", "", ""), gpu, true, "any value"},
      {tolerate("other", "Exists", "", ""), gpu, false, "other key"},
      {tolerate("", "Exists", "", ""), gpu, true, "tolerates everything"},
      {tolerate("", "Equal", "gpu", ""), gpu, false, "no key needs Exists"},
      {tolerate("rank", "Lt", "8", ""), seven, true, "7 < 8"},
      {tolerate("rank", "Lt", "7", ""), seven, false, "7 < 7"},
      {tolerate("rank", "Gt", "6", ""), seven, true, "7 > 6"},
      {tolerate("dedicated", "Gt", "6", ""), gpu, false, "no number"},
  };
  for (const Row& row : rows) EXPECT_EQ(row.toleration.tolerates(row.taint), row.expected) << row.why;
}

TEST(Taint, FirstUntolerated) {
  const std::vector<Taint> taints{{"soft", "", "PreferNoSchedule", std::nullopt},
                                  {"hard", "x", "NoExecute", std::nullopt}};
  EXPECT_EQ(first_untolerated(taints, {})->key, "hard");
  EXPECT_EQ(first_untolerated(taints, {}, true)->key, "soft");
  EXPECT_EQ(first_untolerated(taints, {tolerate("hard", "Exists", "", "")}), nullptr);
}

TEST(Taint, EphemeralOnes) {
  const std::pair<Taint, bool> rows[] = {
      {{"node.kubernetes.io/not-ready", "", "NoSchedule", std::nullopt}, true},
      {{"node.kubernetes.io/not-ready", "", "NoExecute", std::nullopt}, true},
      {{"node.kubernetes.io/unreachable", "", "NoSchedule", std::nullopt}, true},
      {{"node.kubernetes.io/unreachable", "", "NoExecute", std::nullopt}, false},
      {{"node.cloudprovider.kubernetes.io/uninitialized", "true", "NoSchedule", std::nullopt}, true},
      {{"karpenter.sh/unregistered", "", "NoExecute", std::nullopt}, true},
      {{"readiness.k8s.io/storage", "", "NoSchedule", std::nullopt}, true},
      {{"node.kubernetes.io/disk-pressure", "", "NoSchedule", std::nullopt}, false},
  };
  for (const auto& [taint, expected] : rows) EXPECT_EQ(is_ephemeral_taint(taint), expected) << to_string(taint);
  EXPECT_EQ(to_string(Taint{"a", "b", "NoSchedule", std::nullopt}), "a=b:NoSchedule");
  EXPECT_EQ(to_string(Taint{"a", "", "NoSchedule", std::nullopt}), "a:NoSchedule");
}

}  // namespace
}  // namespace tenon::model
