// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/admit/qos.h"

#include <optional>

#include "json/json.h"
#include "model/quantity.h"

namespace tenon::kubesim::apiserver {
namespace {

using boost::json::value;

// Returns std::nullopt for a missing, invalid or zero quantity.
std::optional<model::Quantity> amount(const value& container, std::string_view list, std::string_view name) {
  const value* at = json::find(container, {"resources", list, name});
  if (at == nullptr) return std::nullopt;
  const std::string text = at->is_string() ? std::string(at->get_string()) : json::to_string(*at);
  auto parsed = model::parse_quantity(text);
  if (!parsed || *parsed == model::Quantity()) return std::nullopt;
  return *parsed;
}

}  // namespace

// parity: pkg/apis/core/v1/helper/qos/qos.go
std::string_view pod_qos_class(const value& pod) {
  bool any = false, guaranteed = true;
  for (std::string_view list : {"containers", "initContainers"}) {
    for (const value& container : json::array_at(pod, {"spec", list})) {
      for (std::string_view name : {"cpu", "memory"}) {
        const auto limit = amount(container, "limits", name);
        const auto request = amount(container, "requests", name);
        any = any || limit || request;
        if (!limit || (request && !(*request == *limit))) guaranteed = false;
      }
    }
  }
  if (!any) return "BestEffort";
  return guaranteed ? "Guaranteed" : "Burstable";
}

}  // namespace tenon::kubesim::apiserver
