// The roles of deploy/rbac.yaml, rbac-kwok.yaml and rbac-observe.yaml, which the tests hold the controller to, with the
// names of a release.
// SPDX-License-Identifier: Apache-2.0
#include "cli/install/chart_files.h"
#include "cli/install/objects.h"
#include "json/json.h"
#include "model/leases.h"

namespace tenon::cli::install {
namespace {

using json::array;
using json::object;
using json::value;

constexpr std::string_view kName = "tenon", kObserver = "-observer";  // in the files

void rename_resources(const Chart& chart, value& rule) {
  value* names = json::find(rule, {"resourceNames"});
  if (names == nullptr) return;
  for (value& name : names->as_array()) {
    if (name == value(model::kControllerLease) || name == value(model::kObserverLease)) name = chart.lease();
    if (name == value("karpenter-cert")) name = chart.fullname() + "-cert";
  }
}

// The Role of the cluster's DNS stays where the file has it.
object role_metadata(const Chart& chart, const value& role) {
  std::string_view suffix = json::string_at(role, {"metadata", "name"}).substr(kName.size());
  if (suffix.starts_with(kObserver)) suffix.remove_prefix(kObserver.size());
  const bool cluster_wide = json::find(role, {"metadata", "namespace"}) == nullptr;
  object meta = metadata(chart, chart.fullname() + std::string(suffix), cluster_wide);
  if (suffix == "-dns") meta["namespace"] = json::string_at(role, {"metadata", "namespace"});
  if (const object& labels = json::object_at(role, {"metadata", "labels"}); !labels.empty()) {
    merge_into(meta["labels"].as_object(), labels);
  }
  return meta;
}

std::vector<std::string_view> role_files(const Chart& chart) {
  if (chart.observe()) return {"rbac-observe.yaml"};
  if (chart.kwok()) return {"rbac.yaml", "rbac-kwok.yaml", "rbac-admin.yaml"};
  return {"rbac.yaml", "rbac-admin.yaml"};
}

}  // namespace

std::vector<value> roles(const Chart& chart) {
  std::vector<value> out;
  for (const std::string_view file : role_files(chart)) {
    for (value& role : chart_objects(file)) {
      const std::string_view kind = json::string_at(role, {"kind"});
      if (kind == "ServiceAccount") continue;
      object& fields = role.as_object();
      fields["metadata"] = role_metadata(chart, role);
      if (value* rules = fields.if_contains("rules")) {
        for (value& rule : rules->as_array()) rename_resources(chart, rule);
      }
      if (value* reference = fields.if_contains("roleRef")) {
        reference->as_object()["name"] = json::string_at(role, {"metadata", "name"});
        fields["subjects"] =
            array{object{{"kind", "ServiceAccount"}, {"name", chart.service_account()}, {"namespace", chart.ns()}}};
      }
      out.push_back(std::move(role));
    }
  }
  return out;
}

}  // namespace tenon::cli::install
