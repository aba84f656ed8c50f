// The pods of a plan's documents, with what admission and kube-scheduler would have written into them: priorities, the
// default spread, the condition of a pod that waits. Each is given to the node that it runs on, or to what the plan
// places, or it is said why not. One thread at a time.
//
//   add…() with each document; finish(), place(), sort_out_waiting() once each, in this order
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/plan_documents.h"
#include "cli/plan_input.h"
#include "kube/codec/pod_decoder.h"
#include "model/pod.h"
#include "model/pod_specs.h"
#include "scheduling/default_spread.h"
#include "scheduling/snapshot.h"

namespace tenon::cli {

class Pods {
 public:
  struct ByKey {
    std::string_view key;  // namespace/name
    const std::shared_ptr<model::Pod>* pod;
    scheduling::NodeView* node;  // that it takes room on, if that is in the input
  };

  // `default_spread` is for pods without constraints of their own.
  explicit Pods(std::vector<model::SpreadConstraint> default_spread);
  Pods(const Pods&) = delete;
  Pods& operator=(const Pods&) = delete;

  // A Pod. Of two with one name the later counts. Errors here and below: kInvalid, with file, document and field path.
  Status add(const Document& d);
  // A pod that stands for free room, as the plan shall see it.
  void add(model::Pod pod);
  Status add_priority_class(const Document& d);
  // Reads objects whose pods the default spread counts together; ignores other kinds.
  Status add_selector(const Document& d);

  // Fills in what documents leave out. Uses of `options` the time and what is done with claims for devices.
  void finish(const InputOptions& options);
  // Gives the nodes of the snapshot their pods, and the snapshot the namespaces of all pods; warns of pods on nodes
  // that are not there.
  void place(PlanInput& input);
  // With the rest of the snapshot filled in: pods that wait for a node become pending, or it is said why not.
  void sort_out_waiting(PlanInput& input) const;

  // All of them, once they are placed, by key. Their nodes are good while nobody adds or removes nodes of the snapshot.
  const std::vector<ByKey>& by_key() const { return by_key_; }
  // The newest pod of each DaemonSet that is not terminal, by the set's namespace/name.
  std::map<std::string, std::shared_ptr<const model::Pod>> newest_of_daemon_sets() const;

 private:
  struct PodRead {
    std::shared_ptr<model::Pod> pod;
    bool no_priority = false;  // it does not say one
  };
  struct PriorityClass {
    int value = 0;
    bool global_default = false, never_preempts = false;
  };
  void finish(const PodRead& read, const InputOptions& options);
  void sort(scheduling::Snapshot& snapshot);

  std::vector<PodRead> pods_;  // as they came
  std::string keys_;           // one behind the other
  std::vector<ByKey> by_key_;
  std::vector<const ByKey*> waiting_;  // for a node
  kube::codec::PodDecoder decoder_;
  model::PodSpecs specs_;                                  // of those that were changed
  std::map<std::string, PriorityClass> priority_classes_;  // by name
  const bool spreads_;                                     // by a default spread
  scheduling::DefaultSpread default_spread_;
};

}  // namespace tenon::cli
