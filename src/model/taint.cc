// SPDX-License-Identifier: Apache-2.0
#include "model/taint.h"

#include <algorithm>
#include <charconv>

#include "model/labels.h"

namespace tenon::model {
namespace {

std::optional<int64_t> whole_number(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

bool Toleration::tolerates(const Taint& taint) const {
  if (!effect.empty() && effect != taint.effect) return false;
  if (!key.empty() && key != taint.key) return false;
  if (op == "Exists") return true;
  if (key.empty()) return false;  // without a key only Exists is valid
  if (op.empty() || op == "Equal") return value == taint.value;
  const auto mine = whole_number(value), theirs = whole_number(taint.value);
  if (!mine || !theirs) return false;
  if (op == "Lt") return *theirs < *mine;
  return op == "Gt" && *theirs > *mine;
}

const Taint* first_untolerated(const std::vector<Taint>& taints, const std::vector<Toleration>& tolerations,
                               bool count_prefer_no_schedule) {
  for (const Taint& taint : taints) {
    if (taint.effect == "PreferNoSchedule" && !count_prefer_no_schedule) continue;
    const bool tolerated =
        std::any_of(tolerations.begin(), tolerations.end(), [&](const Toleration& t) { return t.tolerates(taint); });
    if (!tolerated) return &taint;
  }
  return nullptr;
}

bool is_ephemeral_taint(const Taint& taint) {
  if (taint.key.starts_with("readiness.k8s.io/")) return true;
  if (taint.key == "node.kubernetes.io/not-ready") return taint.effect == "NoSchedule" || taint.effect == "NoExecute";
  if (taint.effect == "NoExecute") return taint.key == kTaintUnregistered;
  return taint.effect == "NoSchedule" && (taint.key == "node.kubernetes.io/unreachable" ||
                                          taint.key == "node.cloudprovider.kubernetes.io/uninitialized");
}

std::string to_string(const Taint& taint) {
  return taint.key + (taint.value.empty() ? "" : "=" + taint.value) + ":" + taint.effect;
}

}  // namespace tenon::model
