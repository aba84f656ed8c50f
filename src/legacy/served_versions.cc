// up() and convert_to_v1beta1() convert what both versions can express. A round trip through them shows what is lost
// (lost_fields.h); an annotation keeps it.
//
// Worked example: a NodePool of v1 with terminationGracePeriod 1h. convert_to_v1beta1() drops it, and up() of that has
// none, so that the object of v1beta1 gets other-version:
// {"version":"karpenter.sh/v1","fields":[{"path":["spec","template", "spec","terminationGracePeriod"],"is":"1h"}]}. On
// the way back up() gives no terminationGracePeriod, as it did then
// ("was" is absent), so that it becomes 1h again.
// SPDX-License-Identifier: Apache-2.0
#include "legacy/served_versions.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "json/json.h"
#include "legacy/annotations.h"
#include "legacy/convert_parts.h"
#include "legacy/lost_fields.h"
#include "model/generations.h"

namespace tenon::legacy {
namespace {

using json::value;
using model::kAnnotationExpireAfter;
using model::kAnnotationKubelet;

enum class Kind { kPool, kClaim, kClass };

std::optional<Kind> kind_of(const value& document) {
  const std::string_view kind = json::string_at(document, {"kind"});
  if (kind == "NodePool") return Kind::kPool;
  if (kind == "NodeClaim") return Kind::kClaim;
  if (kind == "EC2NodeClass") return Kind::kClass;
  return std::nullopt;
}

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

// Returns the path of the first part that a conversion changes and that is no object; empty: there is none.
std::string malformed(const value& document, Kind kind) {
  std::vector<std::vector<std::string_view>> paths{{"metadata"}, {"metadata", "annotations"}, {"spec"}};
  if (kind == Kind::kPool) {
    paths.insert(paths.end(), {{"spec", "template"}, {"spec", "template", "spec"}, {"spec", "disruption"}});
    paths.push_back({"spec", "template", "spec", "nodeClassRef"});
  }
  if (kind == Kind::kClaim) paths.push_back({"spec", "nodeClassRef"});
  if (kind == Kind::kClass) paths.push_back({"spec", "metadataOptions"});
  for (const auto& path : paths) {
    const value* at = &document;
    std::string text;
    for (const std::string_view key : path) {
      at = at != nullptr ? json::find(*at, {key}) : nullptr;
      text += (text.empty() ? "" : ".") + std::string(key);
    }
    if (at != nullptr && !at->is_object() && !at->is_null()) return text;
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

  value plain = document;
  drop_annotation(plain, kAnnotationOtherVersion);
  value out = rises ? up(plain, *kind) : convert_to_v1beta1(plain);
  restore_fields(api_version, annotation(document, kAnnotationOtherVersion), out);
  const std::string lost = lost_fields(from, rises ? convert_to_v1beta1(out) : up(out, *kind), plain);
  if (!lost.empty()) annotate(out, kAnnotationOtherVersion, lost);
  return out;
}

}  // namespace tenon::legacy
