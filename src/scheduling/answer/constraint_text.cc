// Describes constraints in words.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/labels.h"
#include "scheduling/answer/constraint.h"
#include "scheduling/input/pod_check.h"
#include "scheduling/input/solution.h"

namespace tenon::scheduling {
namespace {

using Kind = ConstraintKind;

std::string at(size_t index) { return "[" + std::to_string(index) + "]"; }
std::string at(const std::string& name) { return "[" + name + "]"; }

const std::string kAffinity = "pod.spec.affinity.", kRequired = ".requiredDuringSchedulingIgnoredDuringExecution";

model::Requirement requirement(const model::RequirementSpec& spec) {
  return model::Requirement::make(spec).value_or(model::Requirement(spec.key));
}

const PoolProblem* pool_named(const Problem& problem, const std::string& name) {
  const auto pool =
      std::find_if(problem.pools.begin(), problem.pools.end(), [&](const auto& p) { return p.name == name; });
  return pool == problem.pools.end() ? nullptr : &*pool;
}

class Writer {
 public:
  Writer(const Scene& scene, const Problem& before, const Problem& after)
      : scene_(scene), before_(before), after_(after), name_(scene.node_pool().meta.name) {}

  Reason write(const Constraint& c) const {
    Reason reason = words(c);
    reason.subject = name_;
    return reason;
  }

 private:
  Reason words(const Constraint& c) const;
  Reason words_of_pool(const Constraint& c) const;
  Reason words_of_topology(const Constraint& c) const;
  Reason label(const std::string& what, const model::Requirement& asked, std::string field) const;
  Reason request(const std::string& resource) const;
  Reason limit(const std::string& resource) const;
  Reason topology(const std::string& what, const std::string& key, std::string field,
                  const std::optional<model::LabelSelector>& selector) const;
  Reason volume(size_t index) const;
  std::string counts(const std::string& key, const std::optional<model::LabelSelector>& selector) const;

  const Scene& scene_;
  const Problem &before_, &after_;
  const std::string name_;
};

// Describes why the pool does not meet this requirement on a label.
Reason Writer::label(const std::string& what, const model::Requirement& asked, std::string field) const {
  std::string why = "not what the rest leaves";
  if (const PoolProblem* pool = pool_named(before_, name_)) {
    if (pool->requirements.has(asked.key()) && !pool->requirements.get(asked.key()).intersects(asked)) {
      why = "the NodePool has " + pool->requirements.get(asked.key()).to_string();
    } else if (pool->is_type_key(asked.key())) {
      why = pool->rows_allowed(asked).none() ? "nothing that the NodePool can launch has it"
                                             : "what the NodePool can launch with it does not meet the rest";
    } else if (!pool->requirements.has(asked.key())) {
      why = "nodes of the NodePool have no label " + asked.key();
    }
  }
  return {{}, "requirement", what + " " + asked.to_string() + ": " + why, std::move(field)};
}

Reason Writer::request(const std::string& resource) const {
  const int64_t asked = scene_.pod.spec->requests.get(resource);
  std::string text = resource + ": " + model::format_amount(resource, asked) + " asked";
  const PoolProblem *pool = pool_named(before_, name_), *freed = pool_named(after_, name_);
  if (pool != nullptr && freed != nullptr) {
    const size_t r = before_.resource(resource);
    RowSet rows(freed->rows.size());
    for (const Variant& variant : *after_.classes[0].forms[0].variants) {
      rows |= variant.rows[static_cast<size_t>(freed - after_.pools.data())];
    }
    int64_t most = 0, most_of_all = 0;
    for (const TypeProblem& type : pool->types) {
      most_of_all = std::max(most_of_all, type.free[r]);
      const auto same = std::find_if(freed->types.begin(), freed->types.end(),
                                     [&](const TypeProblem& t) { return t.type->name == type.type->name; });
      const auto left = [&](size_t row) { return rows.test(row); };
      if (same == freed->types.end() || std::none_of(same->rows.begin(), same->rows.end(), left)) continue;
      most = std::max(most, type.free[r]);
    }
    if (most < asked) {
      text += ", " + model::format_amount(resource, most) + " is the most any type " +
              (most == most_of_all ? "has" : "that meets the rest has");
    }
  }
  return {{}, "resources", text, "pod.spec.containers[*].resources.requests" + at(resource)};
}

Reason Writer::limit(const std::string& resource) const {
  const int64_t left = scene_.node_pool().limits->get(resource);
  const auto view = std::find_if(before_.snapshot->pools.begin(), before_.snapshot->pools.end(),
                                 [&](const PoolView& v) { return v.pool && v.pool->meta.name == name_; });
  const int64_t limit = view->pool->limits->get(resource);
  return {{},
          "limit",
          "limit of " + resource + " " + model::format_amount(resource, limit) + ": nodes and this plan take " +
              model::format_amount(resource, limit - left) + ", too little is left",
          "nodePool.spec.limits" + at(resource)};
}

// Lists the number of pods that the rule counts in each domain.
std::string Writer::counts(const std::string& key, const std::optional<model::LabelSelector>& selector) const {
  std::map<std::string, int> by_domain;
  for (const NodeView& node : scene_.world.nodes) {
    const model::StringMap& labels = node.labels();
    const auto domain = labels.find(key);
    if (domain == labels.end()) continue;
    int& count = by_domain[domain->second];
    for (const PodPtr& pod : node.pods) count += selector && selector->matches(pod->meta.labels) ? 1 : 0;
  }
  constexpr size_t kMostDomains = 8;
  std::string text;
  size_t shown = 0;
  for (const auto& [domain, count] : by_domain) {
    if (++shown > kMostDomains) return text + ", …";
    text += (text.empty() ? "" : ", ") + domain + " " + std::to_string(count);
  }
  return text.empty() ? "none run yet" : text;
}

Reason Writer::topology(const std::string& what, const std::string& key, std::string field,
                        const std::optional<model::LabelSelector>& selector) const {
  return {{}, "topology", what + " by " + key + "; pods that it counts: " + counts(key, selector), std::move(field)};
}

Reason Writer::volume(size_t index) const {
  const model::PodVolume& volume = scene_.pod.spec->volumes[index];
  model::Pod alone;
  alone.meta = scene_.pod.meta;
  alone.spec.edit().volumes = {volume};
  std::string where;
  if (const auto alternatives = volume_alternatives(*before_.snapshot, alone)) {
    for (const model::Requirements& alternative : *alternatives) {
      std::string text;
      for (const auto& [key, r] : alternative.by_key()) text += (text.empty() ? "" : ", ") + r.to_string();
      where += (where.empty() ? "" : " or ") + text;
    }
  }
  return {{},
          "volume",
          "volume " + volume.name + " can only be attached where " + where,
          "pod.spec.volumes" + at(volume.name)};
}

// Describes a constraint of the NodePool.
Reason Writer::words_of_pool(const Constraint& c) const {
  const model::NodeTemplate& t = scene_.node_pool().node_template;
  const std::string requirements = "nodePool.spec.template.spec.requirements";
  switch (c.kind) {
    case Kind::kPoolRequirement:
      return {{},
              "nodepool",
              "the NodePool's " + requirement(t.requirements[c.index]).to_string() + " leaves nothing to launch",
              requirements + at(c.index)};
    case Kind::kMinValues:
      return {{},
              "nodepool",
              "minValues of " + t.requirements[c.index].key + " cannot be met",
              requirements + at(c.index) + ".minValues"};
    case Kind::kLimit: return limit(c.name);
    case Kind::kTaint:
      return {{},
              "taint",
              "taint " + to_string(t.taints[c.index]) + " is not tolerated",
              "nodePool.spec.template.spec.taints" + at(c.index)};
    case Kind::kNotReady:
      return {{},
              "nodepool",
              "the NodePool is not ready: " + scene_.world.pools[scene_.pool].not_ready,
              "nodePool.status.conditions[Ready]"};
    default: return words_of_topology(c);
  }
}

// Describes a constraint that depends on where other pods run.
Reason Writer::words_of_topology(const Constraint& c) const {
  const model::PodSpec& spec = *scene_.pod.spec;
  switch (c.kind) {
    case Kind::kSpread: {
      const model::SpreadConstraint& s = spec.spread[c.index];
      const auto place = std::find(scene_.original->spec->spread.begin(), scene_.original->spec->spread.end(), s);
      return topology(
          "topology spread (maxSkew " + std::to_string(s.max_skew) + ")", s.topology_key,
          "pod.spec.topologySpreadConstraints" + at(static_cast<size_t>(place - scene_.original->spec->spread.begin())),
          s.selector);
    }
    case Kind::kAffinity: {
      const model::PodAffinityTerm& term = spec.affinity.required_pods[c.index];
      return topology("pod affinity", term.topology_key, kAffinity + "podAffinity" + kRequired + at(c.index),
                      term.selector);
    }
    case Kind::kAntiAffinity: {
      const model::PodAffinityTerm& term = spec.affinity.required_anti_pods[c.index];
      return topology("pod anti-affinity", term.topology_key, kAffinity + "podAntiAffinity" + kRequired + at(c.index),
                      term.selector);
    }
    case Kind::kRunningAntiAffinity: {
      const RunningRule& rule = scene_.rules[c.index];
      const std::string others = rule.owners > 1 ? " and " + std::to_string(rule.owners - 1) + " more" : "";
      return {{},
              "topology",
              "anti-affinity of pod " + rule.sample->key() + others + " by " +
                  rule.sample->spec->affinity.required_anti_pods[rule.term].topology_key,
              "pod " + rule.sample->key() + ": spec.affinity.podAntiAffinity" + kRequired + at(rule.term)};
    }
    default: return {};
  }
}

// Describes a constraint of the pod alone, and hands every other one on.
Reason Writer::words(const Constraint& c) const {
  const model::PodSpec& spec = *scene_.pod.spec;
  switch (c.kind) {
    case Kind::kNodeSelector:
      return label("nodeSelector", model::Requirement::in(c.name, {spec.node_selector.at(c.name)}),
                   "pod.spec.nodeSelector" + at(c.name));
    case Kind::kNodeAffinity:
      return label("node affinity", requirement(spec.affinity.required_node_terms[c.index].match_expressions[c.part]),
                   kAffinity + "nodeAffinity" + kRequired + ".nodeSelectorTerms" + at(c.index) + ".matchExpressions" +
                       at(c.part));
    case Kind::kVolume: return volume(c.index);
    case Kind::kRequest: return request(c.name);
    case Kind::kHostPort: {
      const model::HostPort& port = spec.host_ports[c.index];
      const std::string text = std::to_string(port.port) + "/" + (port.protocol.empty() ? "TCP" : port.protocol);
      return {{}, "port", "host port " + text + " is taken by a DaemonSet", "pod.spec.containers[*].ports" + at(text)};
    }
    default: return words_of_pool(c);
  }
}

}  // namespace

Reason describe(const Scene& scene, const Constraint& constraint, const Problem& before, const Problem& after) {
  return Writer(scene, before, after).write(constraint);
}

}  // namespace tenon::scheduling
