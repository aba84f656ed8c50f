// Any text as a node class's user data: it is rejected, or it is merged into TOML with our settings of the node, which
// does not change if it is merged again.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "cloud/aws_provider/launch/user_data.h"
#include "cloud/aws_provider/util/toml_document.h"
#include "json/json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tenon;
  cloud::Bootstrap bootstrap;
  bootstrap.family = cloud::AmiFamily::kBottlerocket;
  bootstrap.cluster_name = "demo";
  bootstrap.max_pods = 29;
  bootstrap.raid0 = true;
  bootstrap.labels = {{"karpenter.sh/nodepool", "default"}};
  bootstrap.user_data.assign(reinterpret_cast<const char*>(data), size);
  const auto text = cloud::render_user_data(bootstrap);
  if (!text) {
    CHECK(text.error().code == Code::kInvalid, text.error().message);
    return 0;
  }
  if (text->size() > cloud::kMaxTomlBytes) return 0;
  const auto document = cloud::parse_toml(*text);
  CHECK(document.has_value(), document ? "" : document.error().message + "\n" + *text);
  const json::value settings = document->at("settings");
  CHECK(json::string_at(settings, {"kubernetes", "cluster-name"}) == "demo", *text);
  CHECK(json::int_at(settings, {"kubernetes", "max-pods"}) == 29, *text);
  CHECK(json::string_at(settings, {"kubernetes", "node-labels", "karpenter.sh/nodepool"}) == "default", *text);
  CHECK(json::string_at(settings, {"bootstrap-commands", "000-mount-instance-storage", "mode"}) == "always", *text);
  bootstrap.user_data = *text;
  const auto again = cloud::render_user_data(bootstrap);
  CHECK(again.has_value(), again ? "" : again.error().message);
  CHECK(*again == *text, *text + "--- and then\n" + *again);
  return 0;
}
