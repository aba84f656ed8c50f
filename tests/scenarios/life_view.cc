// SPDX-License-Identifier: Apache-2.0
#include "life_view.h"

#include <cmath>
#include <map>

#include "base/text.h"
#include "json/json.h"

namespace tenon::scenarios {

using json::value;

bool matches(std::string_view pattern, std::string_view text) {
  const size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == text;
  if (text.substr(0, star) != pattern.substr(0, star)) return false;
  for (size_t from = star; from <= text.size(); ++from) {
    if (matches(pattern.substr(star + 1), text.substr(from))) return true;
  }
  return false;
}

value view_of(const value& object) {
  value view = object;
  json::object conditions, taints;
  for (const value& c : json::array_at(object, {"status", "conditions"})) {
    std::string text(json::string_at(c, {"status"}));
    for (const auto& [part, before] : {std::pair("reason", " "), std::pair("message", ": ")}) {
      const std::string_view word = json::string_at(c, {part});
      if (!word.empty()) text += before + std::string(word);
    }
    conditions[json::string_at(c, {"type"})] = text;
  }
  for (const value& t : json::array_at(object, {"spec", "taints"})) {
    const std::string key =
        std::string(json::string_at(t, {"key"})) + ":" + std::string(json::string_at(t, {"effect"}));
    taints[key] = json::string_at(t, {"value"});
  }
  view.get_object()["conditions"] = std::move(conditions);
  view.get_object()["taints"] = std::move(taints);
  return view;
}

bool is_amount(const value& wanted, double actual) {
  if (!wanted.is_string()) return std::abs(wanted.to_number<double>() - actual) < 1e-9;
  const std::string text(wanted.get_string());
  const double bound = std::stod(text.substr(2));
  return text.starts_with(">=") ? actual >= bound : text.starts_with("<=") && actual <= bound;
}

double sum_of(const std::string& text, std::string_view selector, int& series) {
  const auto [name, rest] = cut(selector, '{');
  const std::string_view inside = rest.empty() ? rest : rest.substr(0, rest.size() - 1);
  double sum = 0;
  series = 0;
  for (const std::string_view line : split(text, '\n')) {
    const std::string_view labels = line.substr(std::min(line.find_first_of("{ "), line.size()));
    if (line.empty() || line.substr(0, line.size() - labels.size()) != name) continue;
    bool all = true;
    for (const std::string_view label : split(inside, ',')) all &= labels.find(label) != std::string_view::npos;
    if (!all) continue;
    ++series;
    sum += std::stod(std::string(line.substr(line.rfind(' ') + 1)));
  }
  return sum;
}

Result<Kind> kind_named(std::string_view name) {
  static const std::map<std::string_view, Kind> kKinds{
      {"NodePool", {{"karpenter.sh", "nodepools"}, ""}},
      {"NodeClaim", {{"karpenter.sh", "nodeclaims"}, ""}},
      {"EC2NodeClass", {{"karpenter.k8s.aws", "ec2nodeclasses"}, ""}},
      {"NodeOverlay", {{"karpenter.sh", "nodeoverlays"}, ""}},
      {"Node", {{"", "nodes"}, ""}},
      {"Pod", {{"", "pods"}, "default"}},
      {"ConfigMap", {{"", "configmaps"}, "kube-system"}},  // the namespace of the controllers
      {"Event", {{"", "events"}, ""}},
      {"PersistentVolume", {{"", "persistentvolumes"}, ""}},
      {"PersistentVolumeClaim", {{"", "persistentvolumeclaims"}, "default"}},
      {"Service", {{"", "services"}, "default"}},
      {"Deployment", {{"apps", "deployments"}, "default"}},
      {"DaemonSet", {{"apps", "daemonsets"}, "default"}},
      {"PodDisruptionBudget", {{"policy", "poddisruptionbudgets"}, "default"}},
      {"VolumeAttachment", {{"storage.k8s.io", "volumeattachments"}, ""}},
  };
  const auto it = kKinds.find(name);
  if (it == kKinds.end()) return fail(Code::kInvalid, "a scenario cannot change a " + std::string(name));
  return it->second;
}

}  // namespace tenon::scenarios
