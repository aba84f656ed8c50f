// Converts EC2NodeClass v1beta1 (Karpenter 0.32 to 1.0) to v1. parity: provider-aws v1.0 pkg/apis/v1beta1 conversion
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "json/json.h"
#include "kube/codec/codec.h"

namespace tenon::kube::codec {
namespace {

constexpr int64_t kHopLimit = 2;  // v1 defaults to one hop
// The same id that Karpenter's conversion writes, so that both read a class alike. No image has it: nothing is launched
// until a user names an image.
constexpr std::string_view kNoImage = "ami-placeholder";

json::array terms(json::object term) {
  json::array out;
  out.push_back(std::move(term));
  return out;
}

// v1 has no Ubuntu family. Its images boot with AL2's script from another root device.
void replace_ubuntu(json::object& spec) {
  spec["amiFamily"] = "AL2";
  if (!spec.contains("blockDeviceMappings")) {
    json::object ebs{{"encrypted", true}, {"volumeSize", "20Gi"}, {"volumeType", "gp3"}};
    json::object device{{"deviceName", "/dev/sda1"}, {"rootVolume", true}, {"ebs", std::move(ebs)}};
    spec["blockDeviceMappings"] = terms(std::move(device));
  }
  if (json::array_at(spec, {"amiSelectorTerms"}).empty()) {
    spec["amiSelectorTerms"] = terms({{"id", kNoImage}});
  }
}

}  // namespace

json::value upgrade_node_class(const json::value& document) {
  json::value out = document;
  json::object& object = out.as_object();
  object["apiVersion"] = "karpenter.k8s.aws/v1";
  json::value& spec_value = json::ensure(out, {"spec"});
  if (!spec_value.is_object()) return out;  // decoding reports it
  json::object& spec = spec_value.get_object();
  const std::string family(json::string_at(spec_value, {"amiFamily"}));
  if (family == "Ubuntu") {
    replace_ubuntu(spec);
  } else if (!family.empty() && family != "Custom" && json::array_at(spec_value, {"amiSelectorTerms"}).empty()) {
    spec["amiSelectorTerms"] = terms({{"alias", to_lower(family) + "@latest"}});
  }
  json::value& hops = json::ensure(out, {"spec", "metadataOptions", "httpPutResponseHopLimit"});
  if (!hops.is_number()) hops = kHopLimit;
  return out;
}

}  // namespace tenon::kube::codec
