// SPDX-License-Identifier: Apache-2.0
#include "kubesim/scheduler/topology.h"

#include <algorithm>
#include <cmath>

#include "json/json.h"
#include "model/labels.h"

namespace tenon::kubesim {
namespace {

// Caches which label sets match, so that a selector is evaluated once for each.
class Matcher {
 public:
  Matcher(const ClusterCache& cache, const PodTerm& term) : cache_(&cache), term_(&term), selector_(&term.selector) {}
  Matcher(const std::string& ns, const LabelSelector& selector) : ns_(&ns), selector_(&selector) {}

  bool operator()(const LabelSet& labels) {
    const auto [at, is_new] = known_.try_emplace(&labels, false);
    if (is_new) at->second = in_reach(labels) && selector_->matches(labels.labels());
    return at->second;
  }

 private:
  bool in_reach(const LabelSet& labels) const {
    return term_ == nullptr ? labels.ns == *ns_ : cache_->in_reach(*term_, labels.ns);
  }
  const ClusterCache* cache_ = nullptr;
  const PodTerm* term_ = nullptr;
  const std::string* ns_ = nullptr;
  const LabelSelector* selector_;
  std::unordered_map<const LabelSet*, bool> known_;
};

int64_t live_matches(const NodeInfo& node, Matcher& matches) {
  int64_t pods = 0;
  for (const auto& entry : node.label_counts)
    if (entry.live > 0 && matches(*entry.labels)) pods += entry.live;
  return pods;
}

int64_t all_matches(const NodeInfo& node, Matcher& matches) {
  int64_t pods = 0;
  for (const auto& entry : node.label_counts)
    if (matches(*entry.labels)) pods += entry.all;
  return pods;
}

bool taints_allow(const NodeInfo& node, const PodInfo& pod) {
  return std::all_of(node.taints.begin(), node.taints.end(), [&](const Taint& taint) {
    return taint.effect == "PreferNoSchedule" || tolerated(pod.tolerations, taint);
  });
}

// Returns whether the pods of this node count for this rule.
bool eligible(const NodeInfo& node, const PodInfo& pod, const SpreadRule& rule) {
  if (rule.honor_affinity && !pod.affinity.matches(node.name, node.labels())) return false;
  return !rule.honor_taints || taints_allow(node, pod);
}

bool has_all_keys(const NodeInfo& node, const std::vector<SpreadRule>& rules) {
  return std::all_of(rules.begin(), rules.end(),
                     [&](const SpreadRule& rule) { return node.labels().contains(rule.topology_key); });
}

bool matches_itself(const ClusterCache& cache, const PodInfo& pod, const PodTerm& term) {
  return cache.in_reach(term, pod.key.ns) && term.selector.matches(labels_of(*pod.object));
}

constexpr int64_t kHardAffinityWeight = 1;  // weight of an existing pod's required affinity in scoring

}  // namespace

SpreadFilter::SpreadFilter(const ClusterCache& cache, const PodInfo& pod) {
  for (const SpreadRule& rule : pod.spread) {
    Counted counted{&rule, {}, 0, rule.selector.matches(labels_of(*pod.object))};
    Matcher matches(pod.key.ns, rule.selector);
    for (const NodeInfo* node : cache.nodes()) {
      if (!has_all_keys(*node, pod.spread) || !eligible(*node, pod, rule)) continue;
      bool has = false;
      counted.pods[node->label(rule.topology_key, has)] += live_matches(*node, matches);
    }
    if (static_cast<int64_t>(counted.pods.size()) >= rule.min_domains && !counted.pods.empty()) {
      counted.least = INT64_MAX;
      for (const auto& [domain, pods] : counted.pods) counted.least = std::min(counted.least, pods);
    }
    rules_.push_back(std::move(counted));
  }
}

SpreadFilter::Answer SpreadFilter::check(const NodeInfo& node) const {
  for (const Counted& counted : rules_) {
    bool has = false;
    const std::string_view domain = node.label(counted.rule->topology_key, has);
    if (!has) return Answer::kLabelMissing;
    const auto at = counted.pods.find(domain);
    const int64_t pods = at == counted.pods.end() ? 0 : at->second;
    if (pods + (counted.counts_itself ? 1 : 0) - counted.least > counted.rule->max_skew) return Answer::kSkewed;
  }
  return Answer::kFits;
}

AffinityFilter::AffinityFilter(const ClusterCache& cache, const PodInfo& pod) {
  if (cache.pods_with_terms() > 0) find_refusing_domains(cache, pod);
  if (pod.terms != nullptr) count_own_terms(cache, pod);
}

void AffinityFilter::find_refusing_domains(const ClusterCache& cache, const PodInfo& pod) {
  std::unordered_map<const PodTerm*, bool> known;
  for (const NodeInfo* node : cache.nodes())
    for (const auto& entry : node->term_counts)
      for (const PodTerm& term : entry.terms->anti_affinity) {
        const auto [at, is_new] = known.try_emplace(&term, false);
        if (is_new) at->second = matches_itself(cache, pod, term);
        bool has = false;
        const std::string_view domain = node->label(term.topology_key, has);
        if (at->second && has) refusing_[term.topology_key].insert(domain);
      }
}

void AffinityFilter::count_own_terms(const ClusterCache& cache, const PodInfo& pod) {
  std::vector<Matcher> wanted, unwanted;
  for (const PodTerm& term : pod.terms->affinity) {
    affinity_.push_back({&term, {}});
    wanted.emplace_back(cache, term);
  }
  for (const PodTerm& term : pod.terms->anti_affinity) {
    anti_affinity_.push_back({&term, {}});
    unwanted.emplace_back(cache, term);
  }
  bool any = false;
  for (const NodeInfo* node : cache.nodes()) {
    int64_t pods = 0;  // pods that match every affinity term
    for (const auto& entry : node->label_counts)
      if (std::all_of(wanted.begin(), wanted.end(), [&](Matcher& matches) { return matches(*entry.labels); }))
        pods += entry.all;
    for (Counted& counted : affinity_) {
      bool has = false;
      const std::string_view domain = node->label(counted.term->topology_key, has);
      if (!has || pods == 0) continue;
      counted.pods[domain] += pods;
      any = true;
    }
    for (size_t i = 0; i < anti_affinity_.size(); ++i) {
      bool has = false;
      const std::string_view domain = node->label(anti_affinity_[i].term->topology_key, has);
      if (has) anti_affinity_[i].pods[domain] += all_matches(*node, unwanted[i]);
    }
  }
  first_of_its_kind_ = !any && std::all_of(affinity_.begin(), affinity_.end(), [&](const Counted& counted) {
    return matches_itself(cache, pod, *counted.term);
  });
}

AffinityFilter::Answer AffinityFilter::check(const NodeInfo& node) const {
  for (const Counted& counted : affinity_) {
    bool has = false;
    const std::string_view domain = node.label(counted.term->topology_key, has);
    if (!has) return Answer::kAffinity;
    const auto at = counted.pods.find(domain);
    if ((at == counted.pods.end() || at->second == 0) && !first_of_its_kind_) return Answer::kAffinity;
  }
  for (const Counted& counted : anti_affinity_) {
    bool has = false;
    const auto at = counted.pods.find(node.label(counted.term->topology_key, has));
    if (has && at != counted.pods.end() && at->second > 0) return Answer::kAntiAffinity;
  }
  for (const auto& [key, domains] : refusing_) {
    bool has = false;
    const std::string_view domain = node.label(key, has);
    if (has && domains.contains(domain)) return Answer::kExistingAntiAffinity;
  }
  return Answer::kFits;
}

std::vector<int64_t> spread_points(const ClusterCache& cache, const PodInfo& pod,
                                   const std::vector<const NodeInfo*>& nodes) {
  if (pod.soft_spread.empty()) return {};
  const bool need_keys = !pod.soft_spread_is_default;
  std::vector<double> points(nodes.size(), 0);
  std::vector<bool> ignored(nodes.size(), false);
  for (size_t i = 0; i < nodes.size(); ++i) ignored[i] = need_keys && !has_all_keys(*nodes[i], pod.soft_spread);
  for (const SpreadRule& rule : pod.soft_spread) {
    Matcher matches(pod.key.ns, rule.selector);
    const bool by_host = rule.topology_key == model::kLabelHostname;
    std::unordered_map<std::string_view, int64_t> domains;
    size_t considered = 0;
    for (size_t i = 0; i < nodes.size(); ++i) {
      bool has = false;
      const std::string_view domain = nodes[i]->label(rule.topology_key, has);
      if (ignored[i]) continue;
      ++considered;
      if (has && !by_host) domains.try_emplace(domain, 0);
    }
    if (!by_host)
      for (const NodeInfo* node : cache.nodes()) {
        bool has = false;
        const auto at = domains.find(node->label(rule.topology_key, has));
        if (!has || at == domains.end() || !eligible(*node, pod, rule)) continue;
        if (need_keys && !has_all_keys(*node, pod.soft_spread)) continue;
        at->second += live_matches(*node, matches);
      }
    const double weight = std::log(static_cast<double>((by_host ? considered : domains.size()) + 2));
    for (size_t i = 0; i < nodes.size(); ++i) {
      bool has = false;
      const std::string_view domain = nodes[i]->label(rule.topology_key, has);
      if (ignored[i] || !has) continue;
      const int64_t pods = by_host ? live_matches(*nodes[i], matches) : domains[domain];
      points[i] += static_cast<double>(pods) * weight + static_cast<double>(rule.max_skew - 1);
    }
  }
  int64_t low = INT64_MAX, high = 0;
  std::vector<int64_t> rounded(nodes.size(), 0);
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (ignored[i]) continue;
    rounded[i] = std::llround(points[i]);
    low = std::min(low, rounded[i]);
    high = std::max(high, rounded[i]);
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (ignored[i])
      rounded[i] = 0;
    else
      rounded[i] = high == 0 ? 100 : 100 * (high + low - rounded[i]) / high;
  }
  return rounded;
}

std::vector<int64_t> affinity_points(const ClusterCache& cache, const PodInfo& pod,
                                     const std::vector<const NodeInfo*>& nodes) {
  const bool has_own =
      pod.terms != nullptr && !(pod.terms->preferred_affinity.empty() && pod.terms->preferred_anti_affinity.empty());
  if (!has_own && cache.pods_with_terms() == 0) return {};
  std::unordered_map<std::string_view, std::unordered_map<std::string_view, int64_t>> weights;  // key → domain
  const auto add = [&](const NodeInfo& node, const PodTerm& term, int64_t weight) {
    bool has = false;
    const std::string_view domain = node.label(term.topology_key, has);
    if (has && weight != 0) weights[term.topology_key][domain] += weight;
  };
  if (has_own) {
    const auto own = [&](const std::vector<PodTerm>& terms, int64_t sign) {
      for (const PodTerm& term : terms) {
        Matcher matches(cache, term);
        for (const NodeInfo* node : cache.nodes()) add(*node, term, sign * term.weight * all_matches(*node, matches));
      }
    };
    own(pod.terms->preferred_affinity, +1);
    own(pod.terms->preferred_anti_affinity, -1);
  }
  std::unordered_map<const PodTerm*, bool> known;
  const auto theirs = [&](const NodeInfo& node, const std::vector<PodTerm>& terms, int64_t factor, bool hard) {
    for (const PodTerm& term : terms) {
      const auto [at, is_new] = known.try_emplace(&term, false);
      if (is_new) at->second = matches_itself(cache, pod, term);
      if (at->second) add(node, term, factor * (hard ? kHardAffinityWeight : term.weight));
    }
  };
  for (const NodeInfo* node : cache.nodes())
    for (const auto& entry : node->term_counts) {
      theirs(*node, entry.terms->affinity, entry.pods, true);
      theirs(*node, entry.terms->preferred_affinity, entry.pods, false);
      theirs(*node, entry.terms->preferred_anti_affinity, -entry.pods, false);
    }
  if (weights.empty()) return {};
  std::vector<int64_t> points(nodes.size(), 0);
  for (size_t i = 0; i < nodes.size(); ++i)
    for (const auto& [key, domains] : weights) {
      bool has = false;
      const auto at = domains.find(nodes[i]->label(key, has));
      if (has && at != domains.end()) points[i] += at->second;
    }
  const auto [low, high] = std::minmax_element(points.begin(), points.end());
  const int64_t least = *low, span = *high - *low;
  for (int64_t& point : points) point = span == 0 ? 0 : 100 * (point - least) / span;
  return points;
}

}  // namespace tenon::kubesim
