// SPDX-License-Identifier: Apache-2.0
#include "state/kept_fields.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "model/labels.h"
#include "model/pod_started.h"

namespace tenon::state {
namespace {

constexpr std::array kConditions{std::string_view("PodScheduled"), std::string_view("Ready")};
constexpr std::array kAnnotations{model::kAnnotationDoNotDisrupt, model::kAnnotationDoNotEvict,
                                  std::string_view("controller.kubernetes.io/pod-deletion-cost")};

template <class Names>
bool has(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

void keep_used_fields(model::Pod& pod) {
  std::vector<model::Condition> kept;
  // The start of a pod decides only how long its annotation protects it.
  const bool protects = pod.meta.annotations.contains(model::kAnnotationDoNotDisrupt);
  const auto used = [&](const model::Condition& one) {
    return has(kConditions, one.type) || (protects && one.type == model::kPodStarted);
  };
  kept.reserve(size_t(std::count_if(pod.conditions.begin(), pod.conditions.end(), used)));
  for (model::Condition& one : pod.conditions) {
    if (!used(one)) continue;
    one.message = std::string();
    kept.push_back(std::move(one));
  }
  pod.conditions = std::move(kept);
  std::erase_if(pod.meta.annotations, [](const auto& entry) { return !has(kAnnotations, entry.first); });
  pod.meta.finalizers = {};
  pod.meta.generate_name = std::string();
}

}  // namespace tenon::state
