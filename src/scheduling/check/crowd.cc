// Cost: a hash of the labels in keys_ for each pod; then kinds × domains. The values of a label on a place are computed
// once for each (key, place).
// SPDX-License-Identifier: Apache-2.0
#include "scheduling/check/crowd.h"

#include <algorithm>

#include "base/hash.h"

namespace tenon::scheduling::check {
namespace {

bool counts_at_all(const model::Pod& pod) { return !pod.terminal() && !pod.meta.deleting(); }

bool has_hard_rules(const model::PodSpec& spec) {
  const auto hard = [](const model::SpreadConstraint& spread) { return !spread.schedule_anyway; };
  return !spec.affinity.required_pods.empty() || !spec.affinity.required_anti_pods.empty() ||
         std::any_of(spec.spread.begin(), spec.spread.end(), hard);
}

const std::string* label(const model::Pod& pod, const std::string& key) {
  const auto at = pod.meta.labels.find(key);
  return at == pod.meta.labels.end() ? nullptr : &at->second;
}

}  // namespace

Crowd::Crowd(const std::vector<Place>& places) : places_(places) {
  for (const Place& place : places) {
    for (const model::Pod* pod : place.arriving) {
      if (has_hard_rules(*pod->spec)) list_keys(*pod->spec);
    }
    for (const model::Pod* pod : place.running) {
      if (counts_at_all(*pod) && !pod->spec->affinity.required_anti_pods.empty()) list_keys(*pod->spec);
    }
  }
  if (!has_rules_) return;
  for (const Place& place : places) {
    for (const model::Pod* pod : place.running) {
      if (counts_at_all(*pod)) add(*pod, place, false);
    }
    for (const model::Pod* pod : place.arriving) add(*pod, place, true);
  }
  for (const Kind& kind : kinds_) {
    everybody_.push_back(&kind);
    auto value = kind.labels.begin();
    for (const std::string& key : keys_) {
      if (const std::string* here = *value++) by_label_[{key, *here}].push_back(&kind);
    }
  }
}

void Crowd::list_keys(const model::PodSpec& spec) {
  has_rules_ = true;
  if (!known_specs_.insert(&spec).second) return;
  const auto add_selector = [&](const std::optional<model::LabelSelector>& selector) {
    if (!selector) return;
    for (const auto& [key, value] : selector->match_labels) keys_.insert(key);
    for (const auto& expression : selector->match_expressions) keys_.insert(expression.key);
  };
  for (const auto& spread : spec.spread) {
    add_selector(spread.selector);
    keys_.insert(spread.match_label_keys.begin(), spread.match_label_keys.end());
  }
  for (const auto* terms : {&spec.affinity.required_pods, &spec.affinity.required_anti_pods}) {
    for (const auto& term : *terms) {
      add_selector(term.selector);
      keys_.insert(term.match_label_keys.begin(), term.match_label_keys.end());
      keys_.insert(term.mismatch_label_keys.begin(), term.mismatch_label_keys.end());
    }
  }
}

void Crowd::add(const model::Pod& pod, const Place& place, bool arriving) {
  // Only the anti-affinity of running pods is checked.
  const auto rules = [&](const model::Pod& of) {
    return arriving || !of.spec->affinity.required_anti_pods.empty() ? &*of.spec : nullptr;
  };
  Hash hash;
  hash.add(std::hash<const void*>()(rules(pod)));
  hash.add(arriving ? 1 : 0);
  hash.add(pod.meta.ns);
  labels_.clear();
  for (const std::string& key : keys_) {
    labels_.push_back(label(pod, key));
    hash.add(labels_.back() ? std::string_view(*labels_.back()) : std::string_view());
  }
  const auto equal = [](const std::string* x, const std::string* y) { return x && y ? *x == *y : x == y; };
  const auto same = [&](const auto& entry) {
    const Kind& kind = *entry.second;
    const model::Pod& other = *kind.sample;
    return kind.arriving == arriving && rules(other) == rules(pod) && other.meta.ns == pod.meta.ns &&
           std::equal(labels_.begin(), labels_.end(), kind.labels.begin(), equal);
  };
  const auto [begin, end] = by_hash_.equal_range(hash.value());
  const auto known = std::find_if(begin, end, same);
  Kind* kind = known == end ? nullptr : known->second;
  if (!kind) {
    kind = &kinds_.emplace_back(Kind{&pod, arriving, labels_, {}});
    by_hash_.emplace(hash.value(), kind);
  }
  kind->members.push_back({&pod, &place});
}

const Kinds& Crowd::named_by(const std::optional<model::LabelSelector>& selector) const {
  static const Kinds nobody;
  if (!selector) return nobody;
  if (selector->match_labels.empty()) return everybody_;
  const auto at = by_label_.find(*selector->match_labels.begin());
  return at == by_label_.end() ? nobody : at->second;
}

const Values& Crowd::values(const Place& place, const std::string& key) {
  auto& known = values_[key];
  if (known.empty()) known.resize(places_.size());
  std::unique_ptr<Values>& values = known[static_cast<size_t>(&place - places_.data())];
  if (!values) values = std::make_unique<Values>(place.values(key));
  return *values;
}

const Counts& Crowd::counts(const Kinds& kinds, const std::string& key) {
  const auto [at, fresh] = counts_.try_emplace({key, kinds});
  if (!fresh) return at->second;
  Counts& counts = at->second;
  for (const Kind* kind : kinds) {
    for (const Standing& s : kind->members) {
      const Values& here = values(*s.place, key);
      for (const std::string& domain : here) ++counts.may_stand[domain];
      if (here.size() == 1) ++counts.stand[*here.begin()];
    }
  }
  return counts;
}

}  // namespace tenon::scheduling::check
