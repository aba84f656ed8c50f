// SPDX-License-Identifier: Apache-2.0
#include "cli/adopt/originals_file.h"

#include <algorithm>

#include "adopt/inspect.h"
#include "cli/convert/rollback_file.h"
#include "json/json.h"
#include "json/yaml.h"
#include "kube/resource_types.h"

namespace tenon::cli {
namespace {

using json::value;

constexpr std::string_view kApi = "tenon.dev/v1alpha1", kKind = "AdoptionRollback";

const value* find(const adopt::Documents& documents, const value& wanted) {
  const auto same = [&](const value& one) { return adopt::reference(one) == adopt::reference(wanted); };
  const auto found = std::find_if(documents.begin(), documents.end(), same);
  return found == documents.end() ? nullptr : &*found;
}

migrate::Write creation(const value& original, const kube::ResourceType& type) {
  value body = original;
  for (const char* field : {"uid", "resourceVersion", "creationTimestamp", "generation", "managedFields"})
    json::erase(body, {"metadata", field});
  return {.verb = migrate::Verb::kCreate,
          .type = type,
          .name = std::string(json::string_at(original, {"metadata", "name"})),
          .body = std::move(body)};
}

}  // namespace

Result<adopt::Documents> read_originals_file(const std::string& path, const std::string& cluster) {
  const std::optional<std::string> text = TRY(read_rollback_file(path));
  if (!text) return adopt::Documents();
  adopt::Documents documents = TRY_IN(path, json::parse_yaml(*text));
  if (documents.empty() || json::string_at(documents.front(), {"kind"}) != kKind)
    return fail(Code::kInvalid, path + ": is no roll-back file: its first document is not an " + std::string(kKind));
  if (json::string_at(documents.front(), {"cluster"}) != cluster)
    return fail(Code::kInvalid, path + ": cluster: is the roll-back file of another cluster");
  documents.erase(documents.begin());
  return documents;
}

adopt::Documents add_originals(const adopt::Documents& added, adopt::Documents earlier) {
  for (const value& object : added) {
    if (find(earlier, object) == nullptr) earlier.push_back(object);
  }
  return earlier;
}

Status write_originals_file(const std::string& path, const std::string& cluster, const adopt::Documents& originals) {
  std::string text =
      "# What `tenon adopt --apply` changed, as it was. `tenon adopt --apply --rollback THIS_FILE` restores it.\n";
  text += json::to_yaml(json::object{{"apiVersion", kApi}, {"kind", kKind}, {"cluster", cluster}});
  for (const value& object : originals) text += "---\n" + json::to_yaml(object);
  return write_rollback_file(path, text);
}

std::vector<migrate::Write> restoring_writes(const adopt::Documents& originals, const adopt::Observed& observed) {
  std::vector<migrate::Write> writes;
  for (const value& original : originals) {
    const std::string_view kind = json::string_at(original, {"kind"});
    if (kind == kube::kDefinitions.kind) {
      const value* conversion = json::find(original, {"spec", "conversion"});
      if (conversion != nullptr)
        writes.push_back({.verb = migrate::Verb::kPatch,
                          .type = kube::kDefinitions,
                          .name = std::string(json::string_at(original, {"metadata", "name"})),
                          .body = {{"spec", {{"conversion", *conversion}}}}});
    } else if (kind == kube::kValidatingWebhooks.kind) {
      if (find(observed.validating, original) == nullptr)
        writes.push_back(creation(original, kube::kValidatingWebhooks));
    } else if (kind == kube::kMutatingWebhooks.kind) {
      if (find(observed.mutating, original) == nullptr) writes.push_back(creation(original, kube::kMutatingWebhooks));
    }
  }
  return writes;
}

}  // namespace tenon::cli
