// Compiles the topology rules of a problem: the list of rules (compile_groups.cc), and their domains and counts
// (compile_counts.cc).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "scheduling/compile/preferences.h"
#include "scheduling/compile/problem.h"

namespace tenon::scheduling {

// Borrows the problem.
class GroupCompiler {
 public:
  explicit GroupCompiler(Problem& problem);

  void run();

 private:
  struct Owned {
    size_t pod_class, form, group;
  };
  // Groups by one label that their selector requires, so that not every group is compared with every pod.
  struct Index {
    std::map<std::pair<std::string, std::string>, std::vector<size_t>> by_label;
    std::vector<std::pair<NodePods::LabelHash, const std::vector<size_t>*>> by_hash;  // by_label's
    std::vector<size_t> others;
  };

  int key_index(const std::string& name);
  PodMatcher matcher(const model::PodAffinityTerm& term, const model::Pod& pod) const;
  void add_spread(const model::SpreadConstraint& spread, const model::Pod& pod, Owned owner);
  void add_terms(const std::vector<model::PodAffinityTerm>& terms, GroupKind kind, const model::Pod& pod, Owned owner);
  size_t intern(Group group);
  size_t intern_filter(NodeFilter filter);
  void rules_of(size_t pod_class, size_t form, const RelaxedPod& stage);
  void rules_of_running();
  void list_hosts();
  void list_domains();
  size_t host(size_t view) const { return static_cast<size_t>(hosts_[view]); }
  int domain_of(size_t view, int key) const { return domains_[view * problem_.keys.size() + static_cast<size_t>(key)]; }
  void resolve_filter(NodeFilter& filter);
  void list_reach();
  void list_bare_nodes();
  void find_eligible(Group& group);
  void list_index();
  template <class Visit>
  void each_match(const model::ObjectMeta& pod, Visit visit) const;
  template <class Visit>
  void each_match(const NodePods& pods, Visit visit) const;
  void count_running();
  void connect();
  void index_keys(PoolProblem& pool);

  Problem& problem_;
  std::map<std::string, size_t> known_, known_filters_;
  std::vector<Owned> owned_;  // by class, then form
  Index index_;
  std::vector<int> hosts_;                                                     // by view: its index in Problem::nodes
  std::vector<int> domains_;                                                   // by view, then key; kNone: no label
  std::vector<RowSet> reach_;                                                  // by pool
  std::vector<const NodeView*> bare_nodes_;                                    // count as domains, but accept no pods
  std::unordered_map<const model::Pod*, std::vector<size_t>> running_owners_;  // running pod → its groups
};

}  // namespace tenon::scheduling
