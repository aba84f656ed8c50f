// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/text.h"
#include "json/json.h"
#include "kubesim/apiserver/admit/validation/rules.h"
#include "kubesim/apiserver/base/names.h"

namespace tenon::kubesim::apiserver::validation {
namespace {

using json::array;
using json::value;

constexpr std::string_view kMayNotChange =
    "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"
    "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

PodContext check_volumes(const Place& volumes) {
  PodContext pod;
  volumes.each([&](const Place& volume) {
    const Place name = volume["name"];
    if (name.empty()) {
      name.required();
    } else if (const auto wrong = check_dns_label(name.text())) {
      name.invalid(*wrong);
    } else if (!pod.volumes.emplace(name.text()).second) {
      name.duplicate();
    }
    if (volume.size() < 2) volume.required("must specify a volume type");
  });
  return pod;
}

void check_gates(const Place& gates) {
  std::set<std::string> seen;
  gates.each([&](const Place& gate) {
    const value name(gate["name"].text());
    if (const auto wrong = check_qualified_name(gate["name"].text())) gate.invalid(name, *wrong);
    if (!seen.emplace(gate["name"].text()).second) {
      gate.causes().push_back(
          {"FieldValueDuplicate", fmt::format("Duplicate value: \"{}\"", gate["name"].text()), gate.path()});
    }
  });
}

void copy(const value& from, value& to, std::string_view field) {
  const value* at = json::find(from, {field});
  if (at != nullptr)
    to.get_object()[field] = *at;
  else
    to.get_object().erase(field);
}

// Returns the new spec with the old values of all mutable fields.
value with_old_mutable_fields(const value& next, const value& old) {
  value spec = next;
  for (const std::string_view list : {"containers", "initContainers"}) {
    value* items = json::find(spec, {list});
    const array& before = json::array_at(old, {list});
    for (size_t i = 0; items != nullptr && i < items->get_array().size(); ++i)
      copy(before[i], items->get_array()[i], "image");
  }
  for (const std::string_view field : {"activeDeadlineSeconds", "schedulingGates", "tolerations"})
    copy(old, spec, field);
  if (json::int_at(old, {"terminationGracePeriodSeconds"}) < 0 &&
      json::int_at(spec, {"terminationGracePeriodSeconds"}) == 1)
    copy(old, spec, "terminationGracePeriodSeconds");
  // A gated pod is not scheduled yet: its node selector and affinity are mutable.
  if (!json::array_at(old, {"schedulingGates"}).empty()) {
    for (const std::string_view field : {"nodeSelector", "affinity"}) copy(old, spec, field);
  }
  return spec;
}

bool same_container_count(const Place& spec, const value& old, std::string_view list) {
  if (spec[list].size() == json::array_at(old, {list}).size()) return true;
  spec[list].forbidden("pod updates may not add or remove containers");
  return false;
}

void check_added_tolerations(const Place& next, const value& old) {
  const auto without_seconds = [](value toleration) {
    json::erase(toleration, {"tolerationSeconds"});
    return toleration;
  };
  for (const value& before : json::array_at(old, {"tolerations"})) {
    bool kept = false;
    next.each([&](const Place& now) { kept = kept || without_seconds(now.value()) == without_seconds(before); });
    if (!kept) return next.forbidden("existing toleration can not be modified except its tolerationSeconds");
  }
}

void check_removed_gates(const Place& next, const value& old) {
  next.each([&](const Place& gate) {
    for (const value& before : json::array_at(old, {"schedulingGates"})) {
      if (json::string_at(before, {"name"}) == gate["name"].text()) return;
    }
    gate["name"].forbidden(
        fmt::format("only deletion is allowed, but found new scheduling gate '{}'", gate["name"].text()));
  });
}

void check_images(const Place& spec) {
  for (const std::string_view list : {"containers", "initContainers"}) {
    spec[list].each([](const Place& container) {
      const std::string_view image = container["image"].text();
      if (trim(image).size() != image.size())
        container["image"].invalid("must not have leading or trailing whitespace");
    });
  }
}

}  // namespace

void check_pod_spec(const Place& spec, const std::set<std::string>& more_volumes) {
  PodContext pod = check_volumes(spec["volumes"]);
  pod.volumes.insert(more_volumes.begin(), more_volumes.end());
  check_containers(spec, pod);
  spec["restartPolicy"].one_of_required({"Always", "OnFailure", "Never"});
  spec["dnsPolicy"].one_of_required({"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"});
  check_labels(spec["nodeSelector"]);
  check_affinity(spec["affinity"]);
  spec["readinessGates"].each([](const Place& gate) { gate["conditionType"].named(check_qualified_name); });
  check_gates(spec["schedulingGates"]);
  check_topology_spread(spec["topologySpreadConstraints"]);
  if (!spec["serviceAccountName"].empty()) spec["serviceAccountName"].named(check_dns_subdomain);
  if (!spec["nodeName"].empty()) spec["nodeName"].named(check_dns_subdomain);
  spec["activeDeadlineSeconds"].in_range(1, INT32_MAX);
  if (!spec["hostname"].empty()) spec["hostname"].named(check_dns_label);
  if (!spec["subdomain"].empty()) spec["subdomain"].named(check_dns_label);
  check_tolerations(spec["tolerations"]);
  if (!spec["priorityClassName"].empty()) spec["priorityClassName"].named(check_dns_subdomain);
  spec["preemptionPolicy"].one_of({"Never", "PreemptLowerPriority"});
  spec["overhead"].each_key([](const Place& amount, std::string_view resource) { check_quantity(amount, resource); });
}

void check_pod(const Place& pod) {
  check_pod_spec(pod["spec"]);
  check_images(pod["spec"]);
}

void check_pod_template(const Place& pod_template, const std::set<std::string>& more_volumes) {
  check_labels(pod_template["metadata"]["labels"]);
  check_pod_spec(pod_template["spec"], more_volumes);
}

void check_pod_update(const Place& next, const value& old) {
  check_pod(next);
  const Place spec = next["spec"];
  const value& before = *json::find(old, {"spec"});
  if (!same_container_count(spec, before, "containers") || !same_container_count(spec, before, "initContainers"))
    return;
  check_images(spec);  // a real API server reports these errors twice as well
  check_added_tolerations(spec["tolerations"], before);
  check_removed_gates(spec["schedulingGates"], before);
  if (with_old_mutable_fields(spec.value(), before) != before) spec.forbidden(kMayNotChange);
}

}  // namespace tenon::kubesim::apiserver::validation
