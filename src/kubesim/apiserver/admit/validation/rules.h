// The validation rules of the built-in kinds, one function for each part of an object. See place.h.
// parity: k8s.io/kubernetes/pkg/apis/{core,apps,batch,policy,storage,scheduling}/validation v1.34: the rules that users
// of a node autoscaler meet, with the same order of errors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kubesim/apiserver/admit/validation/place.h"

namespace tenon::kubesim::apiserver::validation {

// selectors.cc
void check_labels(const Place& labels);            // a map of labels
void check_label_selector(const Place& selector);  // metav1.LabelSelector; a missing one passes
void check_node_selector(const Place& selector);
void check_node_selector_term(const Place& term, bool with_values);

// scheduling.cc
void check_taint_effect(const Place& effect);
void check_tolerations(const Place& tolerations);
void check_affinity(const Place& affinity);
void check_topology_spread(const Place& constraints);

// containers.cc
struct PodContext {
  std::set<std::string> volumes;
};
void check_containers(const Place& spec, const PodContext& pod);

// resources.cc
void check_resources(const Place& resources);
void check_quantity(const Place& quantity, std::string_view resource);

// pods.cc
// `more_volumes`: names of volumes that the spec does not list, because a controller adds them.
void check_pod_spec(const Place& spec, const std::set<std::string>& more_volumes = {});
// Validates a pod; a template uses check_pod_template.
void check_pod(const Place& pod);
void check_pod_template(const Place& pod_template, const std::set<std::string>& more_volumes = {});
// `next` and `old` are whole pods.
void check_pod_update(const Place& next, const boost::json::value& old);

// workloads.cc
void check_deployment(const Place& spec, const boost::json::value* old);
void check_replica_set(const Place& spec, const boost::json::value* old);
void check_daemon_set(const Place& spec, const boost::json::value* old);
void check_stateful_set(const Place& spec, const boost::json::value* old);
void check_job(const Place& spec, const boost::json::value* old);
void check_int_or_percent(const Place& amount);
void check_at_most_all(const Place& amount);  // a percentage: at most 100%
// The field must equal the old one. old: null for a new object.
void check_immutable(const Place& field, const boost::json::value* old, std::initializer_list<std::string_view> path);

// other_kinds.cc
void check_node(const Place& node);
void check_service(const Place& service);
void check_config_map(const Place& map, const boost::json::value* old);
void check_budget(const Place& spec);
void check_claim(const Place& spec, const boost::json::value* old);
void check_storage_class(const Place& storage_class, const boost::json::value* old);
void check_priority_class(const Place& priority_class, const boost::json::value* old);

}  // namespace tenon::kubesim::apiserver::validation
