// SPDX-License-Identifier: Apache-2.0
#include "cli/shell/version_command.h"

#include <ostream>
#include <set>

#include "cli/shell/build_info.h"
#include "json/json.h"
#include "json/yaml.h"
#include "schema/builtin_crds.h"

namespace tenon::cli {

Result<std::vector<std::string>> api_versions() {
  std::set<std::string> versions;
  for (const auto& crds :
       {schema::builtin_crds(), schema::optional_crds(), schema::legacy_crds(), schema::v1beta1_crds()}) {
    for (const auto& [name, yaml] : crds) {
      for (const json::value& crd : TRY_IN(std::string(name), json::parse_yaml(yaml))) {
        const json::object& spec = crd.at("spec").as_object();
        for (const json::value& version : spec.at("versions").as_array()) {
          versions.insert(std::string(json::string_at(spec, {"group"})) + "/" +
                          std::string(json::string_at(version, {"name"})));
        }
      }
    }
  }
  return std::vector<std::string>(versions.begin(), versions.end());
}

int run_version(const VersionOptions& options, std::ostream& out, std::ostream& err) {
  const BuildInfo info = build_info();
  if (options.output == "text") {
    out << "tenon " << info.version << "\n";
    return kExitDone;
  }
  const auto versions = api_versions();
  if (!versions) {
    err << "tenon version: " << versions.error().message << "\n";
    return kExitError;
  }
  json::object document = {{"version", info.version}, {"commit", info.commit}, {"compiler", info.compiler}};
  if (!info.date.empty()) document["date"] = info.date;
  document["apiVersions"] = json::array(versions->begin(), versions->end());
  out << json::to_pretty(document);
  return kExitDone;
}

}  // namespace tenon::cli
