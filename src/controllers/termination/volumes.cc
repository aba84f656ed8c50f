// SPDX-License-Identifier: Apache-2.0
#include "controllers/termination/volumes.h"

#include <algorithm>
#include <span>

#include "base/text.h"
#include "controllers/termination/drain.h"

namespace tenon::controllers::termination {
namespace {

constexpr size_t kNamed = 5;  // in an event

std::set<std::string> volumes_of_staying_pods(const View& view) {
  std::set<std::string> volumes;
  for (const auto& pod : view.pods) {
    if (pod->terminal() || drainable(*pod, view.now)) continue;
    for (const auto& volume : pod->spec->volumes) {
      const std::string claim = volume.ephemeral ? pod->meta.name + "-" + volume.name : volume.claim_name;
      const auto bound = view.volume_of_claim.find(pod->meta.ns + "/" + claim);
      if (bound != view.volume_of_claim.end()) volumes.insert(bound->second);
    }
  }
  return volumes;
}

}  // namespace

std::vector<std::string> attached_volumes(const View& view) {
  const std::set<std::string> staying = volumes_of_staying_pods(view);
  std::vector<std::string> names;
  for (const auto& [name, volume] : view.attachments) {
    if (!volume.empty() && !staying.contains(volume)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string name_some(const std::vector<std::string>& names) {
  const size_t shown = std::min(names.size(), kNamed);
  std::string text = join(std::span(names).first(shown), ", ");
  if (names.size() > shown) text += " and " + std::to_string(names.size() - shown) + " other(s)";
  return text;
}

}  // namespace tenon::controllers::termination
