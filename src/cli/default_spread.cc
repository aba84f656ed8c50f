// SPDX-License-Identifier: Apache-2.0
#include "cli/default_spread.h"

#include <algorithm>
#include <array>
#include <set>

#include "json/json.h"
#include "json/yaml.h"
#include "kube/codec/codec.h"
#include "kube/codec/common.h"

namespace tenon::cli {
namespace {

namespace codec = kube::codec;
using json::value;

constexpr std::array<std::string_view, 3> kOwners{"ReplicaSet", "StatefulSet", "ReplicationController"};

Status only(const value& in, const std::string& where, const std::set<std::string_view>& fields) {
  if (!in.is_object()) return fail(Code::kInvalid, where + "must be an object");
  for (const auto& member : in.get_object()) {
    if (!fields.contains(member.key()))
      return fail(Code::kInvalid, where + "unknown field \"" + std::string(member.key()) + "\"");
  }
  return ok();
}

}  // namespace

Result<std::vector<model::SpreadConstraint>> parse_scheduler_config(std::string_view text) {
  const std::vector<value> documents = TRY(json::parse_yaml(text));
  if (documents.size() != 1) return fail(Code::kInvalid, "must be one document");
  TRY(only(documents[0], "", {"podTopologySpread"}));
  const value* spread = json::find(documents[0], {"podTopologySpread"});
  if (!spread) return std::vector<model::SpreadConstraint>();
  TRY(only(*spread, "podTopologySpread: ", {"defaultConstraints"}));
  const std::string where = "podTopologySpread.defaultConstraints";
  for (const value& constraint : json::array_at(*spread, {"defaultConstraints"})) {
    TRY(only(constraint, where + ": ",
             {"maxSkew", "topologyKey", "whenUnsatisfiable", "minDomains", "nodeAffinityPolicy", "nodeTaintsPolicy"}));
    if (!json::find(constraint, {"whenUnsatisfiable"})) {
      return fail(Code::kInvalid, where + ": whenUnsatisfiable must be DoNotSchedule or ScheduleAnyway");
    }
  }
  codec::Problem problem(documents[0]);
  const codec::Field root(documents[0], problem);
  auto constraints = TRY(problem.take(codec::read_spread(root["podTopologySpread"]["defaultConstraints"])));
  std::set<std::pair<std::string, bool>> seen;
  for (const model::SpreadConstraint& c : constraints) {
    if (c.max_skew <= 0) return fail(Code::kInvalid, where + ": maxSkew must be greater than 0");
    if (!model::valid_label_key(c.topology_key)) {
      return fail(Code::kInvalid, where + ": topologyKey \"" + c.topology_key + "\" is not a label key");
    }
    if (!seen.emplace(c.topology_key, c.schedule_anyway).second) {
      return fail(Code::kInvalid,
                  where + ": two constraints for " + c.topology_key + " with the same whenUnsatisfiable");
    }
  }
  return constraints;
}

Status DefaultSpread::add(const Document& d) {
  const bool service = d.kind == "Service";
  const bool owner = std::find(kOwners.begin(), kOwners.end(), d.kind) != kOwners.end();
  if (constraints_.empty() || (!service && !owner)) return ok();
  codec::Problem problem(*d.object);
  const codec::Field object(*d.object, problem);
  const model::ObjectMeta meta = codec::read_meta(object["metadata"]);
  const codec::Field selector = object["spec"]["selector"];
  model::LabelSelector read;
  if (service || d.kind == "ReplicationController") {
    read.match_labels = selector.string_map();
  } else {
    read = codec::read_selector(selector).value_or(model::LabelSelector());
  }
  Result<model::LabelSelector> checked = problem.take(std::move(read));
  if (!checked) return fail(Code::kInvalid, d.place(checked.error().message));
  if (checked->empty()) return ok();
  selectors_.push_back({service ? "" : d.kind, meta.ns.empty() ? "default" : meta.ns, meta.name, *std::move(checked)});
  return ok();
}

void DefaultSpread::apply(model::Pod& pod) const {
  if (constraints_.empty() || !pod.spec->spread.empty()) return;
  model::LabelSelector all;
  const model::OwnerReference* owner = pod.controller();
  for (const Selector& s : selectors_) {
    if (s.ns != pod.meta.ns) continue;
    const bool owns = owner && owner->kind == s.kind && owner->name == s.name;
    if (!owns && !(s.kind.empty() && s.selector.matches(pod.meta.labels))) continue;
    all.match_labels.insert(s.selector.match_labels.begin(), s.selector.match_labels.end());
    const auto& more = s.selector.match_expressions;
    all.match_expressions.insert(all.match_expressions.end(), more.begin(), more.end());
  }
  if (all.empty()) return;
  pod.spec.edit().spread = constraints_;
  for (model::SpreadConstraint& constraint : pod.spec.edit().spread) constraint.selector = all;
}

}  // namespace tenon::cli
