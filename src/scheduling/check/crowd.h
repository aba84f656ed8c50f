// Crowd: the pods of each place after a plan, grouped by kind. No topology rule distinguishes pods of one kind, so
// rules are checked once per kind and compared by counts, not by pairs of pods: 10,000 pods of 20 Deployments are 20
// kinds. Kinds are found by a hash of namespace, rules, and the labels that some rule uses; named_by() selects them by
// one label of the selector. Counts by domain are computed once for each (key, set of kinds).
//
// Borrows the places. Not thread-safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "scheduling/check/world.h"

namespace tenon::scheduling::check {

struct Standing {
  const model::Pod* pod = nullptr;
  const Place* place = nullptr;
};

// Pods of one namespace with the same rules, if any, and the same values of all labels that some rule uses. All of them
// arrive, or all of them run.
struct Kind {
  const model::Pod* sample = nullptr;
  bool arriving = false;
  std::vector<const std::string*> labels;  // of the sample, by Crowd's keys; null: it has none
  std::vector<Standing> members;
};

using Kinds = std::vector<const Kind*>;

// Pods by domain.
struct Counts {
  std::unordered_map<std::string, int> may_stand;  // pods that may be there: an open domain counts in each possible one
  std::unordered_map<std::string, int> stand;      // pods that are certainly there
  static int get(const std::unordered_map<std::string, int>& counts, const std::string& domain) {
    const auto at = counts.find(domain);
    return at == counts.end() ? 0 : at->second;
  }
};

class Crowd {
 public:
  explicit Crowd(const std::vector<Place>& places);

  // Returns true if some pod has a required rule. Otherwise there are no kinds.
  bool has_rules() const { return has_rules_; }
  const std::deque<Kind>& kinds() const { return kinds_; }
  // Returns a superset of the kinds that the selector matches.
  const Kinds& named_by(const std::optional<model::LabelSelector>& selector) const;
  const Values& values(const Place& place, const std::string& key);
  // Counts all pods of these kinds by the value of the label `key` of their node.
  const Counts& counts(const Kinds& kinds, const std::string& key);

 private:
  void list_keys(const model::PodSpec& spec);
  void add(const model::Pod& pod, const Place& place, bool arriving);

  const std::vector<Place>& places_;
  bool has_rules_ = false;
  std::unordered_set<const model::PodSpec*> known_specs_;
  std::set<std::string> keys_;              // labels that rules use
  std::vector<const std::string*> labels_;  // of the pod that add() looks at
  std::deque<Kind> kinds_;
  std::unordered_multimap<size_t, Kind*> by_hash_;
  Kinds everybody_;
  std::map<std::pair<std::string, std::string>, Kinds> by_label_;
  std::map<std::string, std::vector<std::unique_ptr<Values>>> values_;  // key → by place
  std::map<std::pair<std::string, Kinds>, Counts> counts_;
};

}  // namespace tenon::scheduling::check
