// SPDX-License-Identifier: Apache-2.0
#include "kube/codec/default_spread.h"

#include <set>
#include <utility>

#include "json/json.h"
#include "json/yaml.h"
#include "kube/codec/common.h"

namespace tenon::kube::codec {
namespace {

using json::value;

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
  const value* list = json::find(*spread, {"defaultConstraints"});
  if (list && !list->is_array() && !list->is_null()) return fail(Code::kInvalid, where + ": must be a list");
  for (const value& constraint : json::array_at(*spread, {"defaultConstraints"})) {
    TRY(only(constraint, where + ": ",
             {"maxSkew", "topologyKey", "whenUnsatisfiable", "minDomains", "nodeAffinityPolicy", "nodeTaintsPolicy"}));
    if (!json::find(constraint, {"whenUnsatisfiable"})) {
      return fail(Code::kInvalid, where + ": whenUnsatisfiable must be DoNotSchedule or ScheduleAnyway");
    }
  }
  Problem problem(documents[0]);
  const Field root(documents[0], problem);
  auto constraints = TRY(problem.take(read_spread(root["podTopologySpread"]["defaultConstraints"])));
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

Result<model::PodSelector> decode_pod_selector(const value& document, const std::string& kind, std::string* fault) {
  Problem problem(document, fault);
  const Field object(document, problem);
  model::PodSelector out;
  out.meta = read_meta(object["metadata"]);
  out.kind = kind;
  const Field selector = object["spec"]["selector"];
  if (kind == "Service" || kind == "ReplicationController") {
    out.selector.match_labels = selector.string_map();
  } else {
    out.selector = read_selector(selector).value_or(model::LabelSelector());
  }
  return problem.take(std::move(out));
}

}  // namespace tenon::kube::codec
