// A pod as the scheduler reads it: parsed once, then used by every filter and score. Immutable.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "kubesim/actors/amounts.h"
#include "kubesim/actors/objects.h"
#include "kubesim/actors/selectors.h"
#include "kubesim/api.h"

namespace tenon::kubesim {

struct HostPort {
  std::string protocol, ip;  // ip "0.0.0.0" conflicts with every address
  int64_t port = 0;
  bool conflicts(const HostPort& other) const;
};

struct SpreadRule {
  std::string topology_key;
  int64_t max_skew = 1;
  int64_t min_domains = 1;
  bool honor_affinity = true, honor_taints = false;
  LabelSelector selector;
};

// One pod (anti-)affinity term.
struct PodTerm {
  std::string topology_key;
  std::set<std::string, std::less<>> namespaces;
  bool has_namespace_selector = false;
  LabelSelector namespace_selector;
  LabelSelector selector;
  int64_t weight = 1;
};

// The labels and namespace of a pod, which affinity terms select by. Pods with equal labels share one set.
struct LabelSet {
  std::string ns;
  Object pod;  // any pod with these labels
  const boost::json::object& labels() const { return labels_of(*pod); }
};

// The pod affinity of one or more pods with equal terms; null in PodInfo if a pod has none.
struct PodTerms {
  std::vector<PodTerm> affinity, anti_affinity;                      // required
  std::vector<PodTerm> preferred_affinity, preferred_anti_affinity;  // weighted
};

struct PodInfo {
  ObjectKey key;
  std::string uid;
  Object object;
  std::string node_name;
  int32_t priority = 0;
  bool may_preempt = true;  // preemptionPolicy
  bool gated = false;
  bool deleting = false;
  Amounts requests;
  int64_t score_cpu = 0, score_memory = 0;  // requests; 100m and 200 MiB for containers without requests
  std::string wanted_node;                  // the node name that the required affinity names, or empty
  NodeAffinity affinity;
  std::vector<Toleration> tolerations;
  std::vector<HostPort> ports;
  std::vector<SpreadRule> spread, soft_spread;  // DoNotSchedule, ScheduleAnyway
  bool soft_spread_is_default = false;
  std::vector<std::string> claims;  // names of PersistentVolumeClaims
  std::shared_ptr<const LabelSet> labels;
  std::shared_ptr<const PodTerms> terms;
};

// Parses pods. Equal label sets and equal terms become one shared object. Owned by one thread.
class PodParser {
 public:
  std::shared_ptr<const PodInfo> parse(const Object& pod);

 private:
  std::shared_ptr<const LabelSet> intern_labels(const Object& pod);
  std::shared_ptr<const PodTerms> intern_terms(const boost::json::value& pod);
  void sweep();

  std::map<std::string, std::weak_ptr<const LabelSet>, std::less<>> label_sets_;
  std::map<std::string, std::weak_ptr<const PodTerms>, std::less<>> terms_;
  size_t next_sweep_ = 1024;  // table size at which expired entries are dropped
};

}  // namespace tenon::kubesim
