// SPDX-License-Identifier: Apache-2.0
#include "kube/codec/pod_decoder.h"

#include <gtest/gtest.h>

#include "json/json.h"
#include "json/yaml.h"
#include "kube/codec/codec.h"

namespace tenon::kube::codec {
namespace {

json::value pod(const std::string& spec, const std::string& status = "{}") {
  return json::parse_yaml("metadata: {name: p}\nspec: " + spec + "\nstatus: " + status + "\n").value().at(0);
}

const std::string kContainer = "containers: [{name: a, resources: {requests: {cpu: 1}}}]";

TEST(PodDecoder, SpecsThatSayTheSameAreOne) {
  PodDecoder decoder;
  const auto first = decoder.decode(pod("{" + kContainer + ", nodeName: n1, volumes: [{name: x1, projected: {}}]}"));
  const auto second = decoder.decode(pod("{" + kContainer + ", nodeName: n2, volumes: [{name: x2, projected: {}}]}"));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(&*first->spec, &*second->spec);
  EXPECT_EQ(first->node_name, "n1");
  EXPECT_EQ(second->node_name, "n2");
}

// Each after each other one, so that cached parts of one cannot be taken for another.
TEST(PodDecoder, DecodesAsWithoutKnowingOthers) {
  const std::string running = "[{name: a, allocatedResources: {cpu: 2}}]";
  const std::vector<json::value> pods{
      pod("{" + kContainer + "}"),
      pod("{containers: [{name: a, resources: {requests: {cpu: 2}}}]}"),
      pod("{" + kContainer + ", volumes: [{name: x1, persistentVolumeClaim: {claimName: c1}}]}"),
      pod("{" + kContainer + ", volumes: [{name: x1, persistentVolumeClaim: {claimName: c2}}]}"),
      pod("{" + kContainer + ", volumes: [{name: y}, {name: x1, ephemeral: {}}]}"),
      pod("{" + kContainer + ", volumes: [{name: y}]}"),
      pod("{" + kContainer + ", priority: 7}"),
      pod("{" + kContainer + ", priority: 7.5}"),
      pod("{" + kContainer + ", priority: x}"),
      pod("{" + kContainer + ", volumes: 7}"),
      pod("{" + kContainer + ", nodeName: 7}"),
      pod("{" + kContainer + "}", "{containerStatuses: " + running + "}"),
      pod("{" + kContainer + "}", "{containerStatuses: [{name: a, resources: {requests: {cpu: 3}}}]}"),
      pod("{" + kContainer + "}", "{containerStatuses: [{name: b, resources: {requests: {cpu: 3}}}]}"),
      pod("{" + kContainer + "}", "{initContainerStatuses: " + running + "}"),
      pod("{" + kContainer + "}", "{resize: Infeasible, containerStatuses: " + running + "}"),
      pod("{" + kContainer + "}",
          "{conditions: [{type: PodResizePending, reason: Infeasible}], containerStatuses: "
          "[{name: a, allocatedResources: {cpu: 500m}}]}"),
      pod("{" + kContainer + "}", "{containerStatuses: [{name: a, allocatedResources: {cpu: 500m}}]}"),
      pod("{" + kContainer + "}", "{containerStatuses: 7}"),
      pod("{" + kContainer + "}", "{containerStatuses: [7]}"),
      pod("{" + kContainer + "}", "7"),
      pod("7"),
      pod("{containers: [{resources: {requests: {cpu: -1}}}]}"),
  };
  for (const json::value& before : pods) {
    for (const json::value& one : pods) {
      PodDecoder decoder;
      const Result<model::Pod> other = decoder.decode(before);
      const Result<model::Pod> decoded = decoder.decode(one), expected = decode_pod(one);
      const std::string about = json::to_string(before) + " then " + json::to_string(one);
      ASSERT_EQ(decoded.has_value(), expected.has_value()) << about;
      if (expected) {
        EXPECT_EQ(*decoded, *expected) << about;
      } else {
        EXPECT_EQ(decoded.error().message, expected.error().message) << about;
      }
    }
  }
}

// More than the cache holds.
TEST(PodDecoder, ForgetsWhatNoOtherPodHas) {
  PodDecoder decoder;
  for (int i = 0; i < 10'000; ++i) {
    const auto decoded = decoder.decode(pod("{priority: " + std::to_string(i) + "}"));
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->spec->priority, i);
  }
}

}  // namespace
}  // namespace tenon::kube::codec
