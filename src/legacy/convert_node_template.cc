// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "base/text.h"
#include "json/json.h"
#include "legacy/convert_parts.h"

namespace tenon::legacy {
namespace {

using json::object;
using json::value;

constexpr int64_t kHopLimit = 2;  // the default of v0.27; that of v1 is 1

// v0.27 chose the AMIs of a family without a selector from SSM; v1 has an alias for that. Ubuntu has neither in v1.
void amis(const value& spec, const std::string& path, value& out, std::vector<Note>& notes,
          std::vector<Note>& refused) {
  const std::string family(json::string_at(spec, {"amiFamily"}, "AL2"));
  const value* selector = json::find(spec, {"amiSelector"});
  value& target = json::ensure(out, {"spec"});
  if (selector != nullptr && selector->is_object()) {
    json::ensure(target, {"amiSelectorTerms"}) = convert_ami_selector(*selector, path + ".amiSelector", notes, refused);
  } else if (family == "Ubuntu") {
    json::ensure(target, {"amiSelectorTerms"}) = json::array{object{{"id", kNoImage}}};
    notes.push_back(
        {path + ".amiFamily",
         "v1 has no AMIs of Ubuntu: name them in spec.amiSelectorTerms. Tenon reads ami-placeholder as those "
         "that Canonical publishes for EKS; Karpenter launches nothing with it"});
  } else {
    json::ensure(target, {"amiSelectorTerms"}) = json::array{object{{"alias", to_lower(family) + "@latest"}}};
    return;  // the alias implies the family
  }
  json::ensure(target, {"amiFamily"}) = family == "Ubuntu" ? "AL2" : family;
  if (family != "Ubuntu") return;
  if (selector != nullptr) notes.push_back({path + ".amiFamily", "v1 has no family Ubuntu: AL2 boots its AMIs alike"});
  if (json::find(spec, {"blockDeviceMappings"}) == nullptr) {
    object ebs{{"encrypted", true}, {"volumeSize", "20Gi"}, {"volumeType", "gp3"}};
    json::ensure(target, {"blockDeviceMappings"}) =
        json::array{object{{"deviceName", "/dev/sda1"}, {"rootVolume", true}, {"ebs", std::move(ebs)}}};
  }
}

void kubelet_of(const value& kubelet, value& out) {
  if (!kubelet.is_object()) return;
  value kept = kubelet;
  json::erase(kept, {"containerRuntime"});  // the note is the Provisioner's
  if (!kept.get_object().empty()) json::ensure(out, {"spec", "kubelet"}) = std::move(kept);
}

}  // namespace

value convert_node_template(const value& spec, const std::string& path, const value& kubelet, std::string_view profile,
                            std::vector<Note>& notes, std::vector<Note>& refused) {
  value out = object{{"apiVersion", kClassApi}, {"kind", "EC2NodeClass"}, {"metadata", object()}, {"spec", object()}};
  value& target = json::ensure(out, {"spec"});
  amis(spec, path, out, notes, refused);
  for (const auto& [old, now] : {std::pair("subnetSelector", "subnetSelectorTerms"),
                                 std::pair("securityGroupSelector", "securityGroupSelectorTerms")}) {
    const value* selector = json::find(spec, {old});
    if (selector != nullptr && selector->is_object())
      json::ensure(target, {now}) = convert_selector(*selector, path + "." + old, notes, refused);
  }
  const std::string own(json::string_at(spec, {"instanceProfile"}, profile));
  if (own.empty()) {
    json::ensure(target, {"role"}) = kRolePlaceholder;
    notes.push_back({path + ".instanceProfile", "is not set: put the name of the nodes' IAM role in the place of " +
                                                    std::string(kRolePlaceholder) + ", or set spec.instanceProfile"});
  } else {
    json::ensure(target, {"instanceProfile"}) = own;
  }
  for (const char* field :
       {"userData", "tags", "context", "metadataOptions", "blockDeviceMappings", "detailedMonitoring"}) {
    if (const value* same = json::find(spec, {field})) json::ensure(target, {field}) = *same;
  }
  value& hops = json::ensure(target, {"metadataOptions", "httpPutResponseHopLimit"});
  if (!hops.is_number()) hops = kHopLimit;
  kubelet_of(kubelet, out);
  return out;
}

}  // namespace tenon::legacy
