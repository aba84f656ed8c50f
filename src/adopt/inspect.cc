// SPDX-License-Identifier: Apache-2.0
#include "adopt/inspect.h"

#include <algorithm>
#include <array>

#include "json/json.h"

namespace tenon::adopt {
namespace {

constexpr std::array<std::string_view, 3> kRequired = {"nodepools.karpenter.sh", "nodeclaims.karpenter.sh",
                                                       "ec2nodeclasses.karpenter.k8s.aws"};

const json::value* find_definition(const Observed& observed, std::string_view name) {
  for (const json::value& definition : observed.definitions) {
    if (json::string_at(definition, {"metadata", "name"}) == name) return &definition;
  }
  return nullptr;
}

void inspect_definitions(const Observed& observed, Report& report) {
  for (const std::string_view name : kRequired) {
    const std::string object = "CustomResourceDefinition/" + std::string(name);
    const json::value* definition = find_definition(observed, name);
    if (definition == nullptr) {
      report.findings.push_back({Level::kBlocks, object, "is missing: install the CRDs of v1"});
      continue;
    }
    const json::array& versions = json::array_at(*definition, {"spec", "versions"});
    const bool serves = std::any_of(versions.begin(), versions.end(), [](const json::value& version) {
      const json::value* served = json::find(version, {"served"});
      return json::string_at(version, {"name"}) == "v1" && served != nullptr && served->is_bool() && served->get_bool();
    });
    const json::array& stored = json::array_at(*definition, {"status", "storedVersions"});
    if (!serves) {
      report.findings.push_back({Level::kBlocks, object, "does not serve v1"});
    } else if (stored != json::array{"v1"}) {
      report.findings.push_back({Level::kChanges, object,
                                 "status.storedVersions: " + json::to_string(stored) +
                                     ": write each object once and remove all versions but v1 from this list before "
                                     "the CRDs of v1 alone are installed"});
    } else {
      report.findings.push_back({Level::kOk, object, "serves and stores v1"});
    }
  }
}

void inspect_leases(const Observed& observed, const std::string& name, Report& report) {
  if (const std::string holder = migrate::live_holder(observed.leases, name); !holder.empty())
    report.findings.push_back(
        {Level::kBlocks, "Lease/" + name, holder + ": scale Karpenter's Deployment to 0, then run this again"});
  else
    report.findings.push_back({Level::kOk, "Lease/" + name, "no controller leads"});
}

}  // namespace

bool Report::blocked() const {
  return std::any_of(findings.begin(), findings.end(), [](const Finding& one) { return one.level == Level::kBlocks; });
}

std::string_view to_string(Level level) {
  switch (level) {
    case Level::kBlocks: return "blocks";
    case Level::kDrifts: return "drifts";
    case Level::kChanges: return "changes";
    case Level::kUnknown: return "unknown";
    case Level::kOk: return "ok";
  }
  return "";
}

std::string reference(const json::value& document) {
  const std::string_view ns = json::string_at(document, {"metadata", "namespace"});
  return std::string(json::string_at(document, {"kind"})) + "/" + (ns.empty() ? "" : std::string(ns) + "/") +
         std::string(json::string_at(document, {"metadata", "name"}));
}

Report inspect(const Observed& observed, const std::string& lease_name, const KnownSettings& known,
               const schema::KnownSchemas& schemas) {
  Report report;
  inspect_leases(observed, lease_name, report);
  inspect_definitions(observed, report);
  inspect_objects(observed, schemas, report);
  inspect_webhooks(observed, report);
  inspect_settings(observed, known, report);
  inspect_cloud(observed, known, report);
  std::stable_sort(report.findings.begin(), report.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.level < b.level; });
  return report;
}

}  // namespace tenon::adopt
