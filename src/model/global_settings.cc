// SPDX-License-Identifier: Apache-2.0
#include "model/global_settings.h"

#include <charconv>

#include "base/text.h"

namespace tenon::model {

NodePool with_settings(NodePool provisioner, const GlobalSettings& settings) {
  for (Budget& budget : provisioner.budgets) {
    if (budget.reasons == std::vector<std::string>{"Drifted"}) budget.nodes = settings.drift ? "1" : "0";
  }
  return provisioner;
}

NodeClass with_settings(NodeClass node_template, const GlobalSettings& settings, const std::string& alias) {
  if (node_template.ami_selector_terms.empty() && node_template.ami_family.empty() && !alias.empty())
    node_template.ami_selector_terms.push_back({.alias = alias});
  const bool own_profile = !node_template.instance_profile.empty() || !node_template.launch_template.empty();
  if (!own_profile) node_template.instance_profile = settings.default_instance_profile;
  for (const auto& [key, value] : settings.tags) node_template.tags.try_emplace(key, value);
  node_template.pod_eni = settings.pod_eni;
  node_template.eni_limited_pods = settings.eni_limited_pods;
  return node_template;
}

int minor_of(std::string_view kubernetes_version) {
  const std::string_view text = cut(kubernetes_version, '.').second;
  int minor = 0;
  std::from_chars(text.data(), text.data() + text.size(), minor);
  return minor;
}

std::string default_ami_alias(std::string_view kubernetes_version) {
  if (kubernetes_version.empty()) return "";
  return minor_of(kubernetes_version) < kFirstMinorWithoutAl2 ? "al2@latest" : "al2023@latest";
}

}  // namespace tenon::model
