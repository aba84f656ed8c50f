// up() and down() convert what both versions can express. A round trip through them shows what is lost: Remainder keeps
// it in an annotation.
//
// Worked example: a NodePool of v1 with terminationGracePeriod 1h. down() drops it, and up() of that has none, so that
// the object of v1beta1 gets other-version: {"version":"karpenter.sh/v1","fields":[{"path":["spec","template",
// "spec","terminationGracePeriod"],"is":"1h"}]}. On the way back up() gives no terminationGracePeriod, as it did then
// ("was" is absent), so that it becomes 1h again.
// SPDX-License-Identifier: Apache-2.0
#include "legacy/served_versions.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "json/json.h"
#include "legacy/convert_parts.h"
#include "model/generations.h"

namespace tenon::legacy {
namespace {

using json::array;
using json::object;
using json::value;
using model::kAnnotationExpireAfter;
using model::kAnnotationKubelet;

constexpr std::string_view kOldPoolApi = "karpenter.sh/v1beta1", kOldClassApi = "karpenter.k8s.aws/v1beta1";
// Of Karpenter 1.0: the version of the alias that v1beta1 cannot express.
constexpr std::string_view kAnnotationAliasVersion = "compatibility.karpenter.k8s.aws/v1-alias-version";

enum class Kind { kPool, kClaim, kClass };

std::optional<Kind> kind_of(const value& document) {
  const std::string_view kind = json::string_at(document, {"kind"});
  if (kind == "NodePool") return Kind::kPool;
  if (kind == "NodeClaim") return Kind::kClaim;
  if (kind == "EC2NodeClass") return Kind::kClass;
  return std::nullopt;
}

std::string_view annotation(const value& document, std::string_view key) {
  return json::string_at(document, {"metadata", "annotations", key});
}
void annotate(value& document, std::string_view key, std::string text) {
  json::ensure(document, {"metadata", "annotations", key}) = std::move(text);
}
void drop_annotation(value& document, std::string_view key) {
  if (json::find(document, {"metadata", "annotations", key}) == nullptr) return;
  json::erase(document, {"metadata", "annotations", key});
  if (json::object_at(document, {"metadata", "annotations"}).empty())
    json::erase(document, {"metadata", "annotations"});
}

// --- v1beta1 to v1
// -----------------------------------------------------------------------------------------------------

void keep_kubelet(const value* kubelet, value& out) {
  if (kubelet == nullptr) return drop_annotation(out, kAnnotationKubelet);
  annotate(out, kAnnotationKubelet, json::to_string(*kubelet));
}

value up(const value& document, Kind kind) {
  std::vector<Note> notes;  // the annotations keep what the notes name
  value out = kind == Kind::kPool    ? convert_v1beta1_pool(document, "", notes)
              : kind == Kind::kClaim ? convert_v1beta1_claim(document, notes)
                                     : convert_v1beta1_class(document);
  for (const char* part : {"metadata", "status"}) {
    if (const value* same = json::find(document, {part})) json::ensure(out, {part}) = *same;
  }
  if (kind == Kind::kPool) keep_kubelet(json::find(document, {"spec", "template", "spec", "kubelet"}), out);
  if (kind == Kind::kClaim) {
    keep_kubelet(json::find(document, {"spec", "kubelet"}), out);
    json::ensure(out, {"spec", "expireAfter"}) = "Never";
    annotate(out, kAnnotationExpireAfter, "nodepool");
  }
  if (kind == Kind::kClass) {
    const std::string version(annotation(document, kAnnotationAliasVersion));
    drop_annotation(out, kAnnotationAliasVersion);
    value* terms = json::find(out, {"spec", "amiSelectorTerms"});
    const bool has_terms = !json::array_at(document, {"spec", "amiSelectorTerms"}).empty();
    if (terms != nullptr && terms->is_array() && !has_terms) {
      for (value& term : terms->get_array()) {
        const std::string alias(json::string_at(term, {"alias"}));
        if (alias.empty()) continue;
        json::erase(out, {"spec", "amiFamily"});  // the alias has it
        if (!version.empty()) json::ensure(term, {"alias"}) = std::string(cut(alias, '@').first) + "@" + version;
      }
    }
  }
  return out;
}

// --- v1 to v1beta1
// -----------------------------------------------------------------------------------------------------

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

value down(const value& document, Kind kind) {
  value out = document;
  if (json::find(out, {"spec"}) == nullptr) json::ensure(out, {"spec"}) = object();
  out.as_object()["apiVersion"] = kind == Kind::kClass ? kOldClassApi : kOldPoolApi;
  if (kind == Kind::kPool) lower_pool(out);
  if (kind == Kind::kClaim) lower_claim(out);
  if (kind == Kind::kClass) lower_class(out);
  return out;
}

// --- what is lost
// ------------------------------------------------------------------------------------------------------

// A field of spec or an annotation: what a round trip makes of it, and what it was. Absent: the field is not there.
struct Lost {
  std::vector<std::string> path;
  std::optional<value> was, is;
};

// Lists that differ are lost as a whole.
void compare(const value& was, const value& is, std::vector<std::string>& path, std::vector<Lost>& out) {
  if (was == is) return;
  if (!was.is_object() || !is.is_object()) return out.push_back({path, was, is});
  const auto visit = [&](std::string_view key, const value* a, const value* b) {
    path.emplace_back(key);
    if (a != nullptr && b != nullptr) {
      compare(*a, *b, path, out);
    } else {
      out.push_back({path, a ? std::optional(*a) : std::nullopt, b ? std::optional(*b) : std::nullopt});
    }
    path.pop_back();
  };
  for (const auto& [key, item] : was.get_object()) visit(key, &item, is.get_object().if_contains(key));
  for (const auto& [key, item] : is.get_object()) {
    if (!was.get_object().contains(key)) visit(key, nullptr, &item);
  }
}

const value* at_path(const value& root, const std::vector<std::string>& path) {
  const value* at = &root;
  for (const std::string& key : path) {
    if (!at->is_object()) return nullptr;
    at = at->get_object().if_contains(key);
    if (at == nullptr) return nullptr;
  }
  return at;
}

// Returns false if a field on the path is not an object.
bool set_path(value& root, const std::vector<std::string>& path, const std::optional<value>& is) {
  value* at = &root;
  for (size_t i = 0; i + 1 < path.size(); ++i) {
    if (at->is_null()) *at = object();
    if (!at->is_object()) return false;
    at = &at->get_object()[path[i]];
  }
  if (at->is_null()) *at = object();
  if (!at->is_object() || path.empty()) return false;
  if (is) {
    at->get_object()[path.back()] = *is;
  } else {
    at->get_object().erase(path.back());
  }
  return true;
}

std::string written(std::string_view version, const std::vector<Lost>& fields) {
  array entries;
  for (const Lost& lost : fields) {
    array path;
    for (const std::string& key : lost.path) path.emplace_back(key);
    object entry{{"path", std::move(path)}};
    if (lost.was) entry["was"] = *lost.was;
    if (lost.is) entry["is"] = *lost.is;
    entries.push_back(std::move(entry));
  }
  return json::to_string(object{{"version", version}, {"fields", std::move(entries)}});
}

Result<std::vector<Lost>> read(const value& document, std::string_view version) {
  std::vector<Lost> out;
  const std::string text(annotation(document, kAnnotationOtherVersion));
  if (text.empty()) return out;
  const value kept = TRY_IN("metadata.annotations[" + std::string(kAnnotationOtherVersion) + "]", json::parse(text));
  if (json::string_at(kept, {"version"}) != version) return out;
  for (const value& entry : json::array_at(kept, {"fields"})) {
    Lost lost;
    for (const value& key : json::array_at(entry, {"path"})) {
      if (key.is_string()) lost.path.emplace_back(key.get_string());
    }
    if (const value* was = json::find(entry, {"was"})) lost.was = *was;
    if (const value* is = json::find(entry, {"is"})) lost.is = *is;
    out.push_back(std::move(lost));
  }
  return out;
}

// Gives each field its old value if it is what the simple conversion made of it then.
void restore(value& document, const std::vector<Lost>& fields) {
  for (const Lost& lost : fields) {
    const value* now = at_path(document, lost.path);
    const bool untouched = now == nullptr ? !lost.was : lost.was && *now == *lost.was;
    if (untouched) set_path(document, lost.path, lost.is);
  }
  if (json::object_at(document, {"metadata", "annotations"}).empty())
    json::erase(document, {"metadata", "annotations"});
}

// The parts of a document that conversions change.
value part_of(const value& document, std::initializer_list<std::string_view> path) {
  const value* part = json::find(document, path);
  return part == nullptr ? value(object()) : *part;
}

std::vector<Lost> losses(const value& was, const value& is) {
  std::vector<Lost> out;
  std::vector<std::string> path{"spec"};
  compare(part_of(was, {"spec"}), part_of(is, {"spec"}), path, out);
  path = {"metadata", "annotations"};
  compare(part_of(was, {"metadata", "annotations"}), part_of(is, {"metadata", "annotations"}), path, out);
  return out;
}

// The objects that a conversion changes are objects or absent; otherwise it returns the path of the first other one.
std::string malformed(const value& document, Kind kind) {
  std::vector<std::vector<std::string>> paths{{"metadata"}, {"metadata", "annotations"}, {"spec"}};
  if (kind == Kind::kPool) {
    paths.insert(paths.end(), {{"spec", "template"}, {"spec", "template", "spec"}, {"spec", "disruption"}});
    paths.push_back({"spec", "template", "spec", "nodeClassRef"});
  }
  if (kind == Kind::kClaim) paths.push_back({"spec", "nodeClassRef"});
  if (kind == Kind::kClass) paths.push_back({"spec", "metadataOptions"});
  for (const auto& path : paths) {
    const value* at = at_path(document, path);
    if (at == nullptr || at->is_object() || at->is_null()) continue;
    std::string text;
    for (const std::string& key : path) text += (text.empty() ? "" : ".") + key;
    return text;
  }
  return "";
}

}  // namespace

Result<value> to_version(const value& document, std::string_view api_version) {
  const std::string from(json::string_at(document, {"apiVersion"}));
  const std::string who = std::string(json::string_at(document, {"kind"})) + " \"" +
                          std::string(json::string_at(document, {"metadata", "name"})) + "\": ";
  const auto kind = kind_of(document);
  const bool of_class = kind == Kind::kClass;
  const std::string_view current = of_class ? kClassApi : kPoolApi, earlier = of_class ? kOldClassApi : kOldPoolApi;
  const bool rises = from == earlier && api_version == current, falls = from == current && api_version == earlier;
  if (kind && from == api_version && (from == current || from == earlier)) return document;
  if (!kind || (!rises && !falls))
    return fail(Code::kInvalid, who + "no conversion from " + from + " to " + std::string(api_version));
  if (const std::string path = malformed(document, *kind); !path.empty())
    return fail(Code::kInvalid, who + path + " is not an object");

  const std::vector<Lost> kept = TRY_IN(who, read(document, api_version));
  value plain = document;
  drop_annotation(plain, kAnnotationOtherVersion);
  value out = rises ? up(plain, *kind) : down(plain, *kind);
  restore(out, kept);
  const std::vector<Lost> lost = losses(rises ? down(out, *kind) : up(out, *kind), plain);
  if (!lost.empty()) annotate(out, kAnnotationOtherVersion, written(from, lost));
  return out;
}

}  // namespace tenon::legacy
