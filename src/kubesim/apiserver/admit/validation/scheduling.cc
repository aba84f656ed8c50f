// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "json/json.h"
#include "kubesim/apiserver/admit/validation/rules.h"
#include "kubesim/apiserver/base/names.h"
#include "schema/causes.h"

namespace tenon::kubesim::apiserver::validation {
namespace {

constexpr std::string_view kNow = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kWish = "preferredDuringSchedulingIgnoredDuringExecution";

void check_weight(const Place& weight) {
  if (weight.number() < 1 || weight.number() > 100) {
    weight.invalid(json::value(weight.number()), "must be in the range 1-100");
  }
}

void check_match_label_keys(const Place& of) {
  for (const std::string_view field : {"matchLabelKeys", "mismatchLabelKeys"}) {
    const Place keys = of[field];
    if (!keys.empty() && !of["labelSelector"]) keys.forbidden("must not be specified when labelSelector is not set");
    keys.each([](const Place& key) { key.named(check_qualified_name); });
  }
}

void check_pod_term(const Place& term) {
  check_label_selector(term["labelSelector"]);
  check_label_selector(term["namespaceSelector"]);
  term["namespaces"].each([&](const Place& ns) {
    if (const auto wrong = check_dns_label(ns.text())) term["namespace"].invalid(ns.value(), *wrong);
  });
  check_match_label_keys(term);
  const Place key = term["topologyKey"];
  if (key.empty()) key.required("can not be empty");
  key.qualified();
}

void check_pod_affinity(const Place& affinity) {
  affinity[kNow].each(check_pod_term);
  affinity[kWish].each([](const Place& term) {
    check_weight(term["weight"]);
    check_pod_term(term["podAffinityTerm"]);
  });
}

void check_constraint(const Place& constraint) {
  const Place skew = constraint["maxSkew"];
  if (skew.number() <= 0) skew.invalid(json::value(skew.number()), "must be greater than zero");
  if (constraint["topologyKey"].empty()) constraint["topologyKey"].required("can not be empty");
  const Place action = constraint["whenUnsatisfiable"];
  if (action.text() != "DoNotSchedule" && action.text() != "ScheduleAnyway") {
    action.not_supported({"DoNotSchedule", "ScheduleAnyway"});
  }
}

void check_rest_of_constraint(const Place& constraint) {
  const Place domains = constraint["minDomains"];
  if (domains) {
    if (domains.number() <= 0) domains.invalid("must be greater than zero");
    const std::string_view action = constraint["whenUnsatisfiable"].text();
    if (action != "DoNotSchedule") {
      domains.invalid(fmt::format("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {}", action));
    }
  }
  constraint["nodeAffinityPolicy"].one_of({"Honor", "Ignore"});
  constraint["nodeTaintsPolicy"].one_of({"Honor", "Ignore"});
  check_match_label_keys(constraint);
  check_label_selector(constraint["labelSelector"]);
}

}  // namespace

void check_taint_effect(const Place& effect) { effect.one_of({"NoSchedule", "PreferNoSchedule", "NoExecute"}); }

void check_tolerations(const Place& tolerations) {
  tolerations.each([](const Place& toleration) {
    const std::string_view key = toleration["key"].text(), op = toleration["operator"].text();
    const Place where = toleration["operator"], given = toleration["value"], effect = toleration["effect"];
    if (!key.empty()) toleration["key"].named(check_qualified_name);
    if (key.empty() && op != "Exists") {
      where.invalid(json::value(op),
                    "operator must be Exists when `key` is empty, which means \"match all values and all keys\"");
    }
    if (toleration["tolerationSeconds"] && effect.text() != "NoExecute") {
      effect.invalid(json::value(effect.text()), "effect must be 'NoExecute' when `tolerationSeconds` is set");
    }
    if (op.empty() || op == "Equal") {
      if (const auto wrong = check_label_value(given.text())) where.invalid(given.value(), *wrong);
    } else if (op == "Exists") {
      if (!given.empty()) where.invalid(given.value(), "value must be empty when `operator` is 'Exists'");
    } else {
      where.not_supported({"Equal", "Exists"});
    }
    check_taint_effect(effect);
  });
}

void check_affinity(const Place& affinity) {
  const Place node = affinity["nodeAffinity"];
  if (node[kNow]) check_node_selector(node[kNow]);
  node[kWish].each([](const Place& term) {
    check_weight(term["weight"]);
    check_node_selector_term(term["preference"], false);
  });
  check_pod_affinity(affinity["podAffinity"]);
  check_pod_affinity(affinity["podAntiAffinity"]);
}

void check_topology_spread(const Place& constraints) {
  std::vector<std::string> pairs;
  constraints.each([&](const Place& constraint) {
    pairs.push_back(
        fmt::format("{{{}, {}}}", constraint["topologyKey"].text(), constraint["whenUnsatisfiable"].text()));
  });
  size_t i = 0;
  constraints.each([&](const Place& constraint) {
    check_constraint(constraint);
    const std::string& pair = pairs[i++];
    if (std::find(pairs.begin() + static_cast<std::ptrdiff_t>(i), pairs.end(), pair) != pairs.end()) {
      constraint.causes().push_back(
          schema::duplicate(constraint.path() + ".{topologyKey, whenUnsatisfiable}", json::value(pair)));
    }
    check_rest_of_constraint(constraint);
  });
}

}  // namespace tenon::kubesim::apiserver::validation
