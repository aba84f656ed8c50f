// SPDX-License-Identifier: Apache-2.0
#include "cli/install/manifests.h"

#include <iterator>
#include <set>

#include "base/text.h"
#include "cli/install/chart.h"
#include "cli/install/deployment.h"
#include "cli/install/objects.h"
#include "json/json.h"
#include "json/yaml.h"

namespace tenon::cli::install {

Result<std::string> render_manifests(const Request& request) {
  const Chart chart = TRY(Chart::make(request.settings));
  std::vector<json::value> objects{disruption_budget(chart)};
  const auto add = [&](std::vector<json::value> more) {
    objects.insert(objects.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  };
  for (auto* part : {service_account, certificate, settings_of_v027, roles}) add(part(chart));
  objects.push_back(service(chart));
  objects.push_back(TRY(deployment(chart)));
  add(service_monitor(chart));
  add(registrations(chart));
  std::string text;
  std::set<std::string> kinds;
  for (const json::value& object : objects) {
    const std::string kind(json::string_at(object, {"kind"}));
    kinds.insert(kind);
    if (!request.only.empty() && kind != request.only) continue;
    text += (text.empty() ? "" : "---\n") + json::to_yaml(object);
  }
  if (!text.empty()) return text;
  return fail(Code::kInvalid, "--only " + request.only + ": no manifest has this kind; known: " +
                                  join(std::vector<std::string>(kinds.begin(), kinds.end()), ", "));
}

}  // namespace tenon::cli::install
