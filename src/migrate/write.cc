// SPDX-License-Identifier: Apache-2.0
#include "migrate/write.h"

#include "base/text.h"
#include "json/json.h"

namespace tenon::migrate {
namespace {

using json::value;

constexpr size_t kNamed = 3;  // instances in a line

// Names the objects that a list of owner references names.
std::string owners_in(const json::array& owners) {
  std::vector<std::string> names;
  for (const value& owner : owners)
    names.push_back(std::string(json::string_at(owner, {"kind"})) + " " +
                    std::string(json::string_at(owner, {"name"})));
  return names.empty() ? "none" : join(names, ", ");
}

void changes_in(const value& patch, const std::string& path, std::vector<std::string>& out) {
  if (path == "metadata.uid" || path == "metadata.resourceVersion") return;  // preconditions
  if (path == "metadata.ownerReferences" && patch.is_array()) {
    out.push_back(path + ": " + owners_in(patch.get_array()));
  } else if (!patch.is_object()) {
    out.push_back(path + (patch.is_null() ? ": removed" : ": " + json::to_string(patch)));
  } else {
    for (const auto& [key, below] : patch.get_object()) {
      const bool in_map = path == "metadata.labels" || path == "metadata.annotations";
      const std::string step = in_map ? "[" + std::string(key) + "]" : (path.empty() ? "" : ".") + std::string(key);
      changes_in(below, path + step, out);
    }
  }
}

std::string instances_in(const Write& write) {
  const size_t shown = std::min(write.instances.size(), kNamed);
  std::string text = join(std::span(write.instances).first(shown), ", ");
  if (write.instances.size() > shown)
    text += " and " + std::to_string(write.instances.size() - shown) + " other instance(s)";
  return text;
}

}  // namespace

std::string describe(const Write& write) {
  const std::string object = write.type.kind + " " + write.name;
  std::vector<std::string> parts;
  switch (write.verb) {
    case Verb::kCreate: return "create " + object;
    case Verb::kRemove: return "delete " + object;
    case Verb::kPatchStatus:
      return "write the status of " + object + ": " +
             std::string(json::string_at(write.body, {"status", "providerID"}));
    case Verb::kPatch: changes_in(write.body, "", parts); return "patch " + object + ": " + join(parts, "; ");
    case Verb::kTag:
      for (const auto& [key, text] : write.tags) parts.push_back(key + "=" + text);
      return "tag " + instances_in(write) + ": " + join(parts, ", ");
    case Verb::kUntag:
      for (const auto& [key, text] : write.tags) parts.push_back(key);
      return "remove tags of " + instances_in(write) + ": " + join(parts, ", ");
  }
  return object;
}

}  // namespace tenon::migrate
