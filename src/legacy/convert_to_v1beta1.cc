// Converts v1 to v1beta1, as far as v1beta1 can express it. parity: karpenter v1.0 pkg/apis/v1 conversion and
// provider-aws v1.0 pkg/apis/v1 conversion
// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "base/text.h"
#include "json/json.h"
#include "legacy/annotations.h"
#include "legacy/convert_parts.h"
#include "model/generations.h"

namespace tenon::legacy {
namespace {

using json::array;
using json::object;
using json::value;
using model::kAnnotationExpireAfter;
using model::kAnnotationKubelet;

void lower_class_ref(value& spec) {
  value* ref = json::find(spec, {"nodeClassRef"});
  if (ref == nullptr || !ref->is_object()) return;
  *ref = object{{"apiVersion", std::string(json::string_at(*ref, {"group"})) + "/v1beta1"},
                {"kind", json::string_at(*ref, {"kind"})},
                {"name", json::string_at(*ref, {"name"})}};
}

void restore_kubelet(value& out, value& spec) {
  const std::string text(annotation(out, kAnnotationKubelet));
  drop_annotation(out, kAnnotationKubelet);
  if (text.empty()) return;
  if (auto kubelet = json::parse(text)) json::ensure(spec, {"kubelet"}) = std::move(*kubelet);
}

void lower_pool(value& out) {
  json::erase(out, {"spec", "replicas"});
  value& node = json::ensure(out, {"spec", "template", "spec"});
  if (node.is_null()) node = object();
  value expire_after = json::find(node, {"expireAfter"}) ? *json::find(node, {"expireAfter"}) : value("720h");
  json::erase(node, {"expireAfter"});
  json::erase(node, {"terminationGracePeriod"});
  lower_class_ref(node);
  restore_kubelet(out, json::ensure(out, {"spec", "template", "spec"}));
  value& disruption = json::ensure(out, {"spec", "disruption"});
  if (disruption.is_null()) disruption = object();
  object& fields = disruption.get_object();
  fields["expireAfter"] = std::move(expire_after);
  if (json::string_at(disruption, {"consolidationPolicy"}) != "WhenEmpty") {
    fields["consolidationPolicy"] = "WhenUnderutilized";
    if (json::string_at(disruption, {"consolidateAfter"}) != "Never") json::erase(disruption, {"consolidateAfter"});
  }
  if (value* budgets = json::find(disruption, {"budgets"}); budgets != nullptr && budgets->is_array()) {
    for (value& budget : budgets->get_array()) json::erase(budget, {"reasons"});
  }
}

void lower_claim(value& out) {
  value& spec = json::ensure(out, {"spec"});
  for (const char* field : {"expireAfter", "terminationGracePeriod"}) json::erase(spec, {field});
  lower_class_ref(spec);
  restore_kubelet(out, json::ensure(out, {"spec"}));
  drop_annotation(out, kAnnotationExpireAfter);
}

std::string_view family_of_alias(std::string_view family) {
  for (const std::string_view known : {"AL2", "AL2023", "Bottlerocket", "Windows2019", "Windows2022", "Windows2025"}) {
    if (to_lower(known) == family) return known;
  }
  return "Custom";
}

// The terms of v1beta1 have tags, an id, a name and an owner; an alias is the family without terms.
void lower_images(value& out) {
  array terms;
  std::string alias;
  for (const value& term : json::array_at(out, {"spec", "amiSelectorTerms"})) {
    if (json::find(term, {"ssmParameter"}) != nullptr) continue;
    const std::string_view own = json::string_at(term, {"alias"});
    if (own.empty()) {
      terms.push_back(term);
    } else {
      alias = own;
    }
  }
  const auto [family, version] = cut(alias, '@');
  value& spec = json::ensure(out, {"spec"});
  if (json::string_at(spec, {"amiFamily"}).empty()) json::ensure(spec, {"amiFamily"}) = family_of_alias(family);
  if (terms.empty()) {
    json::erase(out, {"spec", "amiSelectorTerms"});
  } else {
    json::ensure(out, {"spec", "amiSelectorTerms"}) = std::move(terms);
  }
  if (!version.empty() && version != "latest") annotate(out, kAnnotationAliasVersion, std::string(version));
}

void lower_class(value& out) {
  lower_images(out);
  for (const char* field : {"kubelet", "capacityReservationSelectorTerms", "placementGroupSelector",
                            "networkInterfaces", "connectionTracking", "cpuOptions", "ipPrefixCount"}) {
    json::erase(out, {"spec", field});
  }
  if (value* devices = json::find(out, {"spec", "blockDeviceMappings"}); devices != nullptr && devices->is_array()) {
    for (value& device : devices->get_array()) json::erase(device, {"ebs", "volumeInitializationRate"});
  }
}

}  // namespace

value convert_to_v1beta1(const value& document) {
  value out = document;
  if (json::find(out, {"spec"}) == nullptr) json::ensure(out, {"spec"}) = object();
  const std::string_view kind = json::string_at(document, {"kind"});
  out.as_object()["apiVersion"] = kind == "EC2NodeClass" ? kOldClassApi : kOldPoolApi;
  if (kind == "NodePool") lower_pool(out);
  if (kind == "NodeClaim") lower_claim(out);
  if (kind == "EC2NodeClass") lower_class(out);
  return out;
}

}  // namespace tenon::legacy
