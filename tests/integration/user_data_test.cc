// The user data of every AMI family, byte by byte: user_data/NAME.yaml is the input, NAME.txt the user data of an
// instance. A different result is left as build/…/user_data/NAME.txt, to be compared and copied.
// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/launch/user_data.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "json/json.h"
#include "json/yaml.h"
#include "kube/codec/codec.h"
#include "kubesim/kubelet/user_data.h"
#include "testing/case_files.h"

namespace tenon::cloud {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(TENON_SOURCE_DIR) / "tests/integration/user_data";

Bootstrap bootstrap_of(const std::string& name) {
  const json::value given = json::parse_yaml(testing::read_file(kFolder / (name + ".yaml")))->front();
  const auto node_class = kube::codec::decode_node_class(given);
  EXPECT_TRUE(node_class) << node_class.error().message;
  Bootstrap b;
  b.family = *family_of(*node_class);
  b.cluster_name = "demo";
  b.cluster_endpoint = "https://demo.test";
  b.ca_base64 = "Q0E=";
  b.service_cidr = "172.20.0.0/16";
  b.user_data = node_class->user_data;
  b.kubelet = node_class->kubelet;
  b.raid0 = node_class->instance_store_policy == "RAID0";
  b.max_pods = json::int_at(given, {"node", "maxPods"}, 29);
  b.dns_ip = json::string_at(given, {"node", "dns"});
  b.mounts_storage_itself = json::bool_at(given, {"node", "imageBefore1.46"});
  b.labels = {{"karpenter.sh/capacity-type", "on-demand"}, {"karpenter.sh/nodepool", "default"}};
  for (const json::value& taint : json::array_at(given, {"node", "taints"})) {
    b.taints.push_back({std::string(json::string_at(taint, {"key"})),
                        std::string(json::string_at(taint, {"value"})),
                        std::string(json::string_at(taint, {"effect"})),
                        {}});
  }
  b.taints.push_back({"karpenter.sh/unregistered", "", "NoExecute", {}});
  return b;
}

class UserDataFile : public ::testing::TestWithParam<std::string> {};

TEST_P(UserDataFile, IsWhatTheFileSays) {
  const Bootstrap asked = bootstrap_of(GetParam());
  const auto text = render_user_data(asked);
  ASSERT_TRUE(text) << text.error().message;
  const std::string wanted = testing::read_file(kFolder / (GetParam() + ".txt"));
  if (*text != wanted) {
    const fs::path made = fs::path(TENON_BINARY_DIR) / "user_data";
    fs::create_directories(made);
    std::ofstream(made / (GetParam() + ".txt"), std::ios::binary) << *text;
  }
  EXPECT_EQ(*text, wanted);
}

// An independent reader finds the expected settings. Custom contains only the user's text.
TEST_P(UserDataFile, BootsAKubeletAsAsked) {
  const Bootstrap asked = bootstrap_of(GetParam());
  if (asked.family == AmiFamily::kCustom) {
    EXPECT_EQ(*render_user_data(asked), asked.user_data);
    return;
  }
  const kubesim::BootConfig boot = kubesim::read_user_data(*render_user_data(asked));
  EXPECT_EQ(boot.cluster, "demo");
  EXPECT_EQ(boot.problem, "");
  EXPECT_EQ(boot.windows, is_windows(asked.family));
  EXPECT_EQ(boot.raid0, asked.raid0);
  EXPECT_EQ(boot.kubelet.max_pods, static_cast<int>(asked.max_pods));
  const auto holds = [](const auto& has, const model::StringMap& wanted) {
    for (const auto& [key, value] : wanted) {
      const auto at = has.find(key);
      EXPECT_TRUE(at != has.end() && at->second == value) << key;
    }
  };
  holds(boot.kubelet.kube_reserved, asked.kubelet.kube_reserved);
  holds(boot.kubelet.system_reserved, asked.kubelet.system_reserved);
  holds(boot.kubelet.eviction_hard, asked.kubelet.eviction_hard);
  holds(boot.labels, asked.labels);
  EXPECT_EQ(boot.taints.size(), asked.taints.size());
}

INSTANTIATE_TEST_SUITE_P(Files, UserDataFile, ::testing::ValuesIn(tenon::testing::case_names(kFolder)),
                         [](const auto& one) {
                           std::string name = one.param;
                           std::replace_if(name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
                           return name;
                         });

}  // namespace
}  // namespace tenon::cloud
