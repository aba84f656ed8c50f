// v1beta1 (Karpenter 0.32 to 1.0) to v1. parity: karpenter v1.0 pkg/apis/v1beta1 and provider-aws v1.0
// pkg/apis/v1beta1 conversion
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "base/text.h"
#include "json/json.h"
#include "legacy/convert_parts.h"

namespace tenon::legacy {
namespace {

using json::object;
using json::value;

constexpr int64_t kHops = 2;  // the default of v1beta1; that of v1 is 1

json::array one_term(object term) {
  json::array out;
  out.push_back(std::move(term));
  return out;
}

// v1 has no Ubuntu family. Its images boot with AL2's script from another root device.
void replace_ubuntu(object& spec) {
  spec["amiFamily"] = "AL2";
  if (!spec.contains("blockDeviceMappings")) {
    object ebs{{"encrypted", true}, {"volumeSize", "20Gi"}, {"volumeType", "gp3"}};
    spec["blockDeviceMappings"] =
        one_term(object{{"deviceName", "/dev/sda1"}, {"rootVolume", true}, {"ebs", std::move(ebs)}});
  }
  const value* terms = spec.if_contains("amiSelectorTerms");
  if (terms == nullptr || !terms->is_array() || terms->get_array().empty())
    spec["amiSelectorTerms"] = one_term(object{{"id", kNoImage}});
}

// {apiVersion, kind, name} of v1beta1 to {group, kind, name}; the kind was optional.
void convert_class_ref(value& ref, std::string_view class_name) {
  const std::string version(json::string_at(ref, {"apiVersion"}, kClassApi));
  ref = object{{"group", cut(version, '/').first},
               {"kind", json::string_at(ref, {"kind"}, "EC2NodeClass")},
               {"name", class_name.empty() ? json::string_at(ref, {"name"}) : class_name}};
}

// Removes a field of the spec of a template or claim; adds a note about a field that existed.
void drop(value& spec, std::string_view field, const std::string& path, const char* why, std::vector<Note>& notes) {
  if (json::find(spec, {field}) == nullptr) return;
  json::erase(spec, {field});
  notes.push_back({path + "." + std::string(field), why});
}

}  // namespace

value convert_v1beta1_class(const value& node_class) {
  value out = node_class;
  out.as_object()["apiVersion"] = kClassApi;
  value& spec_value = json::ensure(out, {"spec"});
  if (!spec_value.is_object()) return out;  // decoding reports it
  object& spec = spec_value.get_object();
  const std::string family(json::string_at(spec_value, {"amiFamily"}));
  if (family == "Ubuntu") {
    replace_ubuntu(spec);
  } else if (!family.empty() && family != "Custom" && json::array_at(spec_value, {"amiSelectorTerms"}).empty()) {
    spec["amiSelectorTerms"] = one_term(object{{"alias", to_lower(family) + "@latest"}});
  }
  value& hops = json::ensure(out, {"spec", "metadataOptions", "httpPutResponseHopLimit"});
  if (!hops.is_number()) hops = kHops;
  return out;
}

value convert_v1beta1_pool(const value& pool, std::string_view class_name, std::vector<Note>& notes) {
  value out = pool;
  out.as_object()["apiVersion"] = kPoolApi;
  json::ensure(out, {"metadata"}) = kept_metadata(pool);
  json::erase(out, {"status"});
  value& node = json::ensure(out, {"spec", "template", "spec"});
  if (node.is_null()) node = object();
  convert_class_ref(json::ensure(node, {"nodeClassRef"}), class_name);
  json::erase(node, {"kubelet"});  // the caller moves it to the class
  drop(node, "resources", "spec.template.spec", "is dropped: v1 has no minimum size of nodes", notes);
  value& disruption = json::ensure(out, {"spec", "disruption"});
  if (disruption.is_null()) disruption = object();
  if (const value* expire = json::find(disruption, {"expireAfter"})) {
    json::ensure(node, {"expireAfter"}) = *expire;
    json::erase(disruption, {"expireAfter"});
    if (*expire != value("Never"))
      notes.push_back(
          {"spec.disruption.expireAfter",
           "is spec.template.spec.expireAfter in v1, which drains an expired node at once, regardless of budgets"});
  }
  const std::string_view policy = json::string_at(disruption, {"consolidationPolicy"}, "WhenUnderutilized");
  if (policy == "WhenUnderutilized") disruption.get_object()["consolidationPolicy"] = "WhenEmptyOrUnderutilized";
  if (json::find(disruption, {"consolidateAfter"}) == nullptr) disruption.get_object()["consolidateAfter"] = "0s";
  return out;
}

value convert_v1beta1_claim(const value& claim, std::vector<Note>& notes) {
  value out = claim;
  out.as_object()["apiVersion"] = kPoolApi;
  json::ensure(out, {"metadata"}) = kept_metadata(claim);
  json::erase(out, {"status"});
  value& spec = json::ensure(out, {"spec"});
  if (spec.is_null()) spec = object();
  convert_class_ref(json::ensure(spec, {"nodeClassRef"}), "");
  drop(spec, "kubelet", "spec", "is dropped: a NodeClaim of v1 has the kubelet's configuration of its EC2NodeClass",
       notes);
  if (json::find(spec, {"expireAfter"}) == nullptr)
    notes.push_back({"spec", "expireAfter was a field of the NodePool; without it the default of v1 is 720h"});
  return out;
}

}  // namespace tenon::legacy
