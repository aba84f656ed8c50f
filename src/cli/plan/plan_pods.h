// The pods of a plan's documents, with what admission and kube-scheduler would have added: priorities, the default
// spread, the condition of a pod that waits. Each pod is assigned to its node, or becomes pending in the plan, or gets
// a reason why not. One thread at a time.
//
//   add…() with each document; finish(), place(), sort_out_waiting() once each, in this order
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/documents/plan_documents.h"
#include "cli/plan/plan_input.h"
#include "kube/codec/pod_decoder.h"
#include "model/pod.h"
#include "model/pod_specs.h"
#include "scheduling/input/default_spread.h"
#include "scheduling/input/snapshot.h"

namespace tenon::cli {

class Pods {
 public:
  struct ByKey {
    std::string_view key;  // namespace/name
    const std::shared_ptr<model::Pod>* pod;
    scheduling::NodeView* node;  // whose capacity it uses, if the node is in the input
  };

  // `default_spread` is for pods without constraints of their own.
  explicit Pods(std::vector<model::SpreadConstraint> default_spread);
  Pods(const Pods&) = delete;
  Pods& operator=(const Pods&) = delete;

  // Adds a Pod. Of two with one name the later counts. Errors here and below: kInvalid, with file, document and field
  // path.
  Status add(const Document& d);
  // Adds a pod that represents reserved capacity, exactly as given.
  void add(model::Pod pod);
  Status add_priority_class(const Document& d);
  // Reads objects whose pods the default spread counts as one group; ignores other kinds.
  Status add_selector(const Document& d);

  // Fills in what documents omit. Uses only the time and the handling of device claims from `options`.
  void finish(const InputOptions& options);
  // Assigns pods to the nodes of the snapshot, and adds the namespaces of all pods to the snapshot; warns of pods on
  // nodes that are missing.
  void place(PlanInput& input);
  // After the rest of the snapshot is filled in: pods that wait for a node become pending, or get a reason why not.
  void sort_out_waiting(PlanInput& input) const;

  // All pods by key, once placed. The node pointers are valid while the nodes of the snapshot are neither added nor
  // removed.
  const std::vector<ByKey>& by_key() const { return by_key_; }
  // Returns the newest non-terminal pod of each DaemonSet, by the set's namespace/name.
  std::map<std::string, std::shared_ptr<const model::Pod>> newest_of_daemon_sets() const;

 private:
  struct PodRead {
    std::shared_ptr<model::Pod> pod;
    bool no_priority = false;  // the document states none
  };
  struct PriorityClass {
    int value = 0;
    bool global_default = false, never_preempts = false;
  };
  void finish(const PodRead& read, const InputOptions& options);
  void sort(scheduling::Snapshot& snapshot);

  std::vector<PodRead> pods_;  // in the order of the documents
  std::string keys_;           // all keys, concatenated
  std::vector<ByKey> by_key_;
  std::vector<const ByKey*> waiting_;  // for a node
  kube::codec::PodDecoder decoder_;
  model::PodSpecs specs_;                                  // of pods that were changed
  std::map<std::string, PriorityClass> priority_classes_;  // by name
  const bool spreads_;                                     // there is a default spread
  scheduling::DefaultSpread default_spread_;
};

}  // namespace tenon::cli
