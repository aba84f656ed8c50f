// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <string>

#include "json/json.h"
#include "kubesim/apiserver/admit/validation/rules.h"
#include "kubesim/apiserver/kinds/selectors.h"

namespace tenon::kubesim::apiserver::validation {
namespace {

using json::value;

// Returns 25 for "25%", and an integer unchanged; std::nullopt for other values.
std::optional<int64_t> amount_of(const Place& amount) {
  if (amount.value().is_int64()) return amount.number();
  const std::string_view text = amount.text();
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool percent = error == std::errc() && number >= 0 && std::string_view(end, text.data() + text.size()) == "%";
  return percent ? std::optional(number) : std::nullopt;
}

void check_rolling_update(const Place& update) {
  check_int_or_percent(update["maxUnavailable"]);
  check_int_or_percent(update["maxSurge"]);
  if (amount_of(update["maxUnavailable"]) == 0 && amount_of(update["maxSurge"]) == 0) {
    update["maxUnavailable"].invalid("may not be 0 when `maxSurge` is 0");
  }
  check_at_most_all(update["maxUnavailable"]);
}

// A missing selector selects no pods; an empty one selects all pods.
void check_selects_template(const Place& spec) {
  if (spec["selector"] && spec["selector"].size() == 0) return;
  if (spec["selector"] && Labels::of_selector(&spec["selector"].value()).matches(spec["template"].value())) return;
  const Place labels = spec["template"]["metadata"]["labels"];
  labels.invalid("`selector` does not match template `labels`");
}

void check_endless(const Place& pod_spec, std::string_view kind) {
  const Place policy = pod_spec["restartPolicy"];
  if (policy && policy.text() != "Always") policy.not_supported({"Always"});
  const Place deadline = pod_spec["activeDeadlineSeconds"];
  if (deadline) deadline.forbidden(fmt::format("activeDeadlineSeconds in {} is not Supported", kind));
}

void check_required_selector(const Place& selector, std::string_view kind) {
  if (!selector) return selector.required();
  check_label_selector(selector);
  const size_t terms = selector["matchLabels"].size() + selector["matchExpressions"].size();
  if (terms == 0) selector.invalid(fmt::format("empty selector is invalid for {}", kind));
}

}  // namespace

void check_int_or_percent(const Place& amount) {
  if (amount.value().is_string() && !amount_of(amount)) {
    amount.invalid(
        "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', "
        "regex used for validation is '[0-9]+%')");
  }
  amount.not_negative();
}

void check_at_most_all(const Place& amount) {
  if (amount.value().is_string() && amount_of(amount).value_or(0) > 100)
    amount.invalid("must not be greater than 100%");
}

void check_immutable(const Place& field, const value* old, std::initializer_list<std::string_view> path) {
  if (old == nullptr) return;
  const value* before = json::find(*old, path);
  if (before == nullptr ? static_cast<bool>(field) : *before != field.value()) field.invalid("field is immutable");
}

void check_deployment(const Place& spec, const value* old) {
  spec["replicas"].not_negative();
  check_required_selector(spec["selector"], "deployment");
  check_selects_template(spec);
  check_pod_template(spec["template"]);
  check_endless(spec["template"]["spec"], "ReplicaSet");
  const Place strategy = spec["strategy"];
  if (strategy["type"].text() == "RollingUpdate") {
    check_rolling_update(strategy["rollingUpdate"]);
  } else if (strategy["type"].text() == "Recreate") {
    if (strategy["rollingUpdate"]) {
      strategy["rollingUpdate"].forbidden("may not be specified when strategy `type` is 'Recreate'");
    }
  } else {
    strategy.not_supported({"Recreate", "RollingUpdate"});
  }
  const Place deadline = spec["progressDeadlineSeconds"];
  for (const std::string_view field : {"minReadySeconds", "revisionHistoryLimit"}) spec[field].not_negative();
  deadline.not_negative();
  if (deadline && deadline.number() <= spec["minReadySeconds"].number()) {
    deadline.invalid("must be greater than minReadySeconds");
  }
  check_immutable(spec["selector"], old, {"spec", "selector"});
}

void check_replica_set(const Place& spec, const value* old) {
  spec["replicas"].not_negative();
  spec["minReadySeconds"].not_negative();
  check_required_selector(spec["selector"], "replicaset");
  check_selects_template(spec);
  check_pod_template(spec["template"]);
  check_endless(spec["template"]["spec"], "ReplicaSet");
  check_immutable(spec["selector"], old, {"spec", "selector"});
}

void check_daemon_set(const Place& spec, const value* old) {
  check_immutable(spec["selector"], old, {"spec", "selector"});
  check_label_selector(spec["selector"]);
  check_selects_template(spec);
  if (spec["selector"].empty()) spec["selector"].invalid("empty selector is invalid for daemonset");
  check_pod_template(spec["template"]);
  check_endless(spec["template"]["spec"], "DaemonSet");
  spec["minReadySeconds"].not_negative();
  const Place strategy = spec["updateStrategy"];
  strategy["type"].one_of({"RollingUpdate", "OnDelete"});
  for (const std::string_view field : {"maxUnavailable", "maxSurge"}) {
    check_int_or_percent(strategy["rollingUpdate"][field]);
    check_at_most_all(strategy["rollingUpdate"][field]);
  }
  spec["revisionHistoryLimit"].not_negative();
}

void check_stateful_set(const Place& spec, const value* old) {
  spec["podManagementPolicy"].one_of_required({"OrderedReady", "Parallel"});
  spec["updateStrategy"]["type"].one_of_required({"RollingUpdate", "OnDelete"});
  for (const std::string_view field : {"replicas", "minReadySeconds"}) spec[field].not_negative();
  check_required_selector(spec["selector"], "statefulset");
  check_selects_template(spec);
  std::set<std::string> of_claims;
  spec["volumeClaimTemplates"].each([&](const Place& claim) { of_claims.emplace(claim["metadata"]["name"].text()); });
  check_pod_template(spec["template"], of_claims);
  check_endless(spec["template"]["spec"], "StatefulSet");
  if (old == nullptr) return;
  for (const std::string_view field : {"selector", "serviceName", "podManagementPolicy", "volumeClaimTemplates"}) {
    const value* before = json::find(*old, {"spec", field});
    if (before == nullptr ? !spec[field] : *before == spec[field].value()) continue;
    return spec.forbidden(
        "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', "
        "'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden");
  }
}

void check_job(const Place& spec, const value* old) {
  for (const std::string_view field :
       {"parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished"}) {
    spec[field].not_negative();
  }
  check_pod_template(spec["template"]);
  const Place policy = spec["template"]["spec"]["restartPolicy"];
  if (policy.text() == "Always") policy.required("valid values: \"OnFailure\", \"Never\"");
  check_immutable(spec["template"], old, {"spec", "template"});
  check_immutable(spec["selector"], old, {"spec", "selector"});
}

}  // namespace tenon::kubesim::apiserver::validation
