// Churn: consolidation removes a node, and within ten minutes the same capacity (type, zone, capacity type) is launched
// for pods of the same owner. A launch is justified by a change of the load, of a NodePool or of a node class in
// between, by the loss of a node that consolidation did not choose, and by a drifted node that is about to be replaced.
// A pod that refuses disruption and delays a drain excuses its owner: when the pod ends, pods of its spread need other
// room. No forecast of kube-scheduler is always right (docs/decisions/0018): one move of an owner's pods may fail in
// this way while the load and the leader stay the same.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "json/json.h"
#include "model/labels.h"
#include "storm/checkers/checker.h"

namespace tenon::storm {
namespace {

using json::value;
using kubesim::Object;

constexpr Duration kWithin = 10min;
constexpr size_t kForgiven = 1;

std::string owner_of(const value& pod) {
  for (const value& owner : json::array_at(pod, {"metadata", "ownerReferences"})) {
    if (json::bool_at(owner, {"controller"})) return std::string(json::string_at(owner, {"uid"}));
  }
  return {};
}

std::string capacity_text(std::string_view type, std::string_view zone, std::string_view capacity_type) {
  return std::string(type) + " in " + std::string(zone) + " (" + std::string(capacity_type) + ")";
}

// The generations of all objects on which the needed capacity depends.
std::string needs(const Truth& truth) {
  static const std::vector<kubesim::Resource> kResources{
      {"apps", "deployments"},          {"apps", "daemonsets"},
      {"karpenter.sh", "nodepools"},    {"karpenter.k8s.aws", "ec2nodeclasses"},
      {"karpenter.sh", "provisioners"}, {"karpenter.k8s.aws", "awsnodetemplates"}};
  std::string text;
  for (const kubesim::Resource& resource : kResources) {
    for (const Object& object : truth.list(resource)) {
      text += name_of(*object) + std::to_string(json::int_at(*object, {"metadata", "generation"})) + " ";
    }
  }
  return text;
}

class Churn : public Checker {
 public:
  Churn() : Checker("churn") {}

  void on_decision(const std::string& line, const Truth& truth) override {
    constexpr std::string_view kLaunched = "launched ", kFor = " for nodeclaim/",
                               kConsolidation = "Underutilized: ", kDrift = "Drifted: ";
    if (line == "leading") {
      mistakes_.clear();  // a new leader has no memory of moves
    } else if (line.starts_with(kDrift)) {
      gone_.clear();  // its replacements are launched before its nodes are removed
    } else if (line.starts_with(kConsolidation)) {
      consolidated(line, truth);
    } else if (const size_t at = line.find(kFor); line.starts_with(kLaunched) && at != std::string::npos) {
      const std::string claim = line.substr(at + kFor.size());
      launched_[claim] = {truth.now(), line.substr(kLaunched.size(), at - kLaunched.size())};
      judge(claim, truth);
    }
  }

  // The event that a pod should be scheduled on a NodeClaim names the pods of the launch.
  void on_call(const Call& call, const Truth& truth) override {
    constexpr std::string_view kMessage = "Pod should schedule on: nodeclaim/";
    if (!call.is("POST", "events") || call.body.find(kMessage) == std::string_view::npos) return;
    const auto event = json::parse(call.body);
    if (!event) return;
    const std::string_view message = json::string_at(*event, {"message"});
    const std::string claim(cut(message.substr(std::min(kMessage.size(), message.size())), ',').first);
    const Object pod = truth.get({"", "pods"}, json::string_at(*event, {"involvedObject", "namespace"}),
                                 json::string_at(*event, {"involvedObject", "name"}));
    if (!pod) return;
    wanted_[claim].insert(owner_of(*pod));
    judge(claim, truth);
  }

  void check(const Truth& truth) override {
    std::string now = needs(truth);
    const bool lost = lost_another(truth);
    if (now != needs_ || !truth.up || lost) gone_.clear();
    if (now != needs_ || !truth.up) mistakes_.clear();
    needs_ = std::move(now);
    std::erase_if(gone_, [&](const Gone& gone) {
      const bool over = truth.now() - gone.at > kWithin;
      if (over) saw();
      return over;
    });
  }

 private:
  struct Launch {
    Instant at{};
    std::string capacity;
  };
  struct Gone {
    Instant at{};
    std::string node, capacity;
    std::set<std::string> owners;  // of its pods
  };

  // An instance or its NodeClaim is removed by something else than consolidation.
  bool lost_another(const Truth& truth) {
    std::set<std::string> claimed, live;
    for (const Object& claim : truth.claims()) {
      if (!deleting(*claim)) claimed.emplace(json::string_at(*claim, {"status", "providerID"}));
    }
    for (const auto& instance : truth.live_instances()) {
      if (claimed.contains(provider_id(instance))) live.insert(provider_id(instance));
    }
    const bool lost = std::any_of(live_.begin(), live_.end(),
                                  [&](const std::string& id) { return !live.contains(id) && !removed_.contains(id); });
    live_ = std::move(live);
    return lost;
  }

  // "Underutilized: delete: nodepools=[default]: [a, b] (savings: $0.07)"
  void consolidated(const std::string& line, const Truth& truth) {
    constexpr std::string_view kBefore = "]: [";
    const size_t begin = line.find(kBefore), end = line.find(']', begin + kBefore.size());
    if (begin == std::string::npos || end == std::string::npos) return;
    const std::string_view names = std::string_view(line).substr(begin + kBefore.size(), end - begin - kBefore.size());
    for (std::string_view name : split(names, ',')) {
      if (name.starts_with(' ')) name.remove_prefix(1);
      const Object node = truth.get({"", "nodes"}, "", name);
      if (!node) continue;
      removed_.emplace(json::string_at(*node, {"spec", "providerID"}));
      Gone gone{truth.now(), std::string(name), capacity_of(*node), {}};
      for (const Object& pod : truth.pods()) {
        if (on_node(*pod, name) && !of_daemon_set(*pod)) gone.owners.insert(owner_of(*pod));
      }
      for (const std::string& owner : held_up(truth)) gone.owners.erase(owner);
      gone_.push_back(std::move(gone));
    }
  }

  // Owners of pods that remain on draining nodes. kube-scheduler counts these pods for spreads until they end.
  static std::set<std::string> held_up(const Truth& truth) {
    std::set<std::string> owners;
    for (const Object& pod : truth.pods()) {
      if (!refuses_disruption(*pod)) continue;
      const Object node = truth.get({"", "nodes"}, "", json::string_at(*pod, {"spec", "nodeName"}));
      if (node && deleting(*node)) owners.insert(owner_of(*pod));
    }
    return owners;
  }

  static std::string capacity_of(const value& node) {
    return capacity_text(label(node, model::kLabelInstanceType), label(node, model::kLabelZone),
                         label(node, model::kLabelCapacityType));
  }

  void judge(const std::string& claim, const Truth& truth) {
    const auto capacity = launched_.find(claim);
    const auto owners = wanted_.find(claim);
    if (capacity == launched_.end() || owners == wanted_.end()) return;
    check(truth);
    for (const Gone& gone : gone_) {
      if (gone.capacity != capacity->second.capacity || gone.at > capacity->second.at) continue;
      const auto owner = std::find_if(owners->second.begin(), owners->second.end(),
                                      [&](const std::string& uid) { return gone.owners.contains(uid); });
      if (owner == owners->second.end()) continue;
      auto& moves = mistakes_[*owner];
      moves.insert(gone.at);  // one move may leave several pods without room
      if (moves.size() > kForgiven) {
        fail(truth, "NodeClaim " + claim + " is " + gone.capacity + " for the pods of node " + gone.node +
                        ", which consolidation removed at " + format_rfc3339(gone.at));
      }
      launched_.erase(capacity);
      return;
    }
  }

  std::vector<Gone> gone_;
  std::string needs_;
  std::map<std::string, std::set<Instant>> mistakes_;    // owner → its moves after which capacity was launched again
  std::set<std::string> live_, removed_;                 // provider ids
  std::map<std::string, Launch> launched_;               // by NodeClaim
  std::map<std::string, std::set<std::string>> wanted_;  // NodeClaim → owners of the pods that it is launched for
};

}  // namespace

std::unique_ptr<Checker> make_churn_checker() { return std::make_unique<Churn>(); }

}  // namespace tenon::storm
