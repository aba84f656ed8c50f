// The settings of Karpenter's Deployment. Their values are not printed: variables may hold secrets.
// SPDX-License-Identifier: Apache-2.0
#include "adopt/inspect.h"
#include "base/text.h"
#include "json/json.h"

namespace tenon::adopt {
namespace {

using json::value;

// Set for the process or for AWS's client libraries, and read by Tenon's as well.
bool is_of_the_process(const std::string& variable) {
  return variable.starts_with("AWS_") || variable == "SYSTEM_NAMESPACE" || variable == "KUBERNETES_MIN_VERSION";
}

void inspect_gates(std::string_view text, const std::string& object, const KnownSettings& known, Report& report) {
  for (const std::string_view part : split(text, ',')) {
    const std::string name(part.substr(0, part.find('=')));
    if (!name.empty() && !known.feature_gates.contains(name))
      report.findings.push_back(
          {Level::kChanges, object, "FEATURE_GATES: Tenon does not know the gate " + name + ": it has no effect"});
  }
}

void inspect_setting(const std::string& name, bool has_effect, const std::string& object, const KnownSettings& known,
                     Report& report) {
  if (has_effect) return;
  const bool accepted = known.without_effect.contains(name);
  report.findings.push_back(
      {Level::kChanges, object,
       name + (accepted ? ": Tenon accepts this setting without effect" : ": Tenon has no such setting")});
}

void inspect_container(const value& container, const std::string& object, const KnownSettings& known, Report& report) {
  for (const value& variable : json::array_at(container, {"env"})) {
    const std::string name(json::string_at(variable, {"name"}));
    if (name == "FEATURE_GATES") inspect_gates(json::string_at(variable, {"value"}), object, known, report);
    inspect_setting(name, known.variables.contains(name) || is_of_the_process(name), object, known, report);
  }
  for (const value& argument : json::array_at(container, {"args"})) {
    if (!argument.is_string()) continue;
    const std::string_view text = argument.get_string();
    if (!text.starts_with("-")) continue;  // the value of the flag before it
    std::string flag(text.substr(0, text.find('=')));
    if (!flag.starts_with("--")) flag.insert(0, "-");  // Go reads -flag as --flag
    inspect_setting(flag, known.flags.contains(flag), object, known, report);
    if (flag == "--feature-gates" && text.find('=') != std::string_view::npos)
      inspect_gates(text.substr(text.find('=') + 1), object, known, report);
  }
}

}  // namespace

void inspect_settings(const Observed& observed, const KnownSettings& known, Report& report) {
  size_t found = 0;
  for (const value& deployment : observed.deployments) {
    if (!is_karpenter(deployment)) continue;
    ++found;
    for (const value& container : json::array_at(deployment, {"spec", "template", "spec", "containers"}))
      inspect_container(container, reference(deployment), known, report);
  }
  if (found == 0)
    report.findings.push_back({Level::kUnknown, "Deployment", "no Deployment of Karpenter: its settings are unknown"});
}

}  // namespace tenon::adopt
