// The validation rules of each built-in kind.
// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "json/json.h"
#include "kubesim/apiserver/admit/strategy.h"
#include "kubesim/apiserver/admit/validation/rules.h"
#include "kubesim/apiserver/kinds/crd.h"

namespace tenon::kubesim::apiserver {
namespace {

using boost::json::value;
using validation::Place;

using Rule = void (*)(const Place& object, const value* old);

void pod_rule(const Place& pod, const value* old) {
  if (old == nullptr)
    validation::check_pod(pod);
  else
    validation::check_pod_update(pod, *old);
}

template <void (*Check)(const Place&, const value*)>
void of_spec(const Place& object, const value* old) {
  Check(object["spec"], old);
}

const std::map<std::pair<std::string_view, std::string_view>, Rule>& rules() {
  using namespace validation;
  static const std::map<std::pair<std::string_view, std::string_view>, Rule> kRules = {
      {{"", "Pod"}, pod_rule},
      {{"", "PodTemplate"}, [](const Place& at, const value*) { check_pod_template(at["template"]); }},
      {{"", "Node"}, [](const Place& at, const value*) { check_node(at); }},
      {{"", "Service"}, [](const Place& at, const value*) { check_service(at); }},
      {{"", "ConfigMap"}, check_config_map},
      {{"", "PersistentVolumeClaim"}, of_spec<check_claim>},
      {{"apps", "Deployment"}, of_spec<check_deployment>},
      {{"apps", "ReplicaSet"}, of_spec<check_replica_set>},
      {{"apps", "DaemonSet"}, of_spec<check_daemon_set>},
      {{"apps", "StatefulSet"}, of_spec<check_stateful_set>},
      {{"batch", "Job"}, of_spec<check_job>},
      {{"policy", "PodDisruptionBudget"}, [](const Place& at, const value*) { check_budget(at["spec"]); }},
      {{"storage.k8s.io", "StorageClass"}, check_storage_class},
      {{"scheduling.k8s.io", "PriorityClass"}, check_priority_class},
  };
  return kRules;
}

}  // namespace

std::vector<Cause> validate(const ResourceInfo& info, std::string_view subresource, const value& object,
                            const value* old) {
  if (is_definition(info)) return validate_definition(object, old);
  if (info.custom) return info.custom->schema ? info.custom->schema->validate(object, old) : std::vector<Cause>();
  std::vector<Cause> causes;
  // Subresources are not validated: they write fields without rules, or fields that only they may change (binding,
  // resize).
  const auto rule = rules().find({info.group, info.kind});
  if (rule != rules().end() && subresource.empty()) rule->second(Place(&object, "", causes), old);
  return causes;
}

}  // namespace tenon::kubesim::apiserver
