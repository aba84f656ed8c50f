// Pod topology spread and inter-pod affinity: counts once for each attempt, then checks each node. Borrows the cache
// and the pod for its lifetime. parity: pkg/scheduler/framework/plugins/{podtopologyspread,interpodaffinity}
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "kubesim/scheduler/cluster_cache.h"

namespace tenon::kubesim {

class SpreadFilter {
 public:
  enum class Answer { kFits, kSkewed, kLabelMissing };
  SpreadFilter(const ClusterCache& cache, const PodInfo& pod);
  Answer check(const NodeInfo& node) const;

 private:
  struct Counted {
    const SpreadRule* rule;
    std::unordered_map<std::string_view, int64_t> pods;  // by domain
    int64_t least = 0;
    bool counts_itself = false;
  };
  std::vector<Counted> rules_;
};

class AffinityFilter {
 public:
  enum class Answer { kFits, kAffinity, kAntiAffinity, kExistingAntiAffinity };
  AffinityFilter(const ClusterCache& cache, const PodInfo& pod);
  Answer check(const NodeInfo& node) const;

 private:
  using Domains = std::unordered_map<std::string_view, int64_t>;
  struct Counted {
    const PodTerm* term;
    Domains pods;
  };
  void count_own_terms(const ClusterCache& cache, const PodInfo& pod);
  void find_refusing_domains(const ClusterCache& cache, const PodInfo& pod);

  std::vector<Counted> affinity_, anti_affinity_;
  bool first_of_its_kind_ = false;  // no pod matches the affinity terms, but this pod itself does
  std::unordered_map<std::string_view, std::unordered_set<std::string_view>> refusing_;  // key → domains
};

// Points from 0 to 100 in the order of `nodes`; both return an empty vector if no rule applies.
std::vector<int64_t> spread_points(const ClusterCache& cache, const PodInfo& pod,
                                   const std::vector<const NodeInfo*>& nodes);
std::vector<int64_t> affinity_points(const ClusterCache& cache, const PodInfo& pod,
                                     const std::vector<const NodeInfo*>& nodes);

}  // namespace tenon::kubesim
