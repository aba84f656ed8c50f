// The operator_* metrics: the conditions of objects and their age, how often and after how long they change, and how
// long a deletion takes. Gauges are computed from the caches when the metrics are collected; only past events are
// counted. Each metric exists twice: by kind, with labels of the object ("operator_nodeclaim_status_condition_count"),
// and, except for Nodes, under its older name with labels for group and kind ("operator_status_condition_count").
// parity: operatorpkg status (controller.go, metrics.go)
// Thread rule: any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "controllers/status_events/provisioner_gauges.h"
#include "metrics/registry.h"
#include "model/meta.h"
#include "runtime/runtime.h"
#include "state/cluster.h"

namespace tenon::controllers::status_events {

class StatusMetrics : public metrics::Collector {
 public:
  // Both are borrowed until detach().
  StatusMetrics(runtime::Runtime& runtime, state::Cluster& cluster, metrics::Registry& registry);
  ~StatusMetrics() override;
  // Detaches the caches, which are about to be destroyed; later collections are empty.
  void detach();

  // One object changed; null: it did not exist before, or no longer exists.
  struct Object {
    const model::ObjectMeta& meta;
    const std::vector<model::Condition>& conditions;
  };
  void changed(const std::string& kind, const Object* before, const Object* after);

  void before_text() override;
  void after_text() override;

 private:
  struct Family;
  struct Kind;
  template <class Cache>
  void export_kind(const Cache& cache, const Kind& kind);

  runtime::Runtime& runtime_;
  std::mutex mutex_;
  state::Cluster* cluster_;  // null: detached
  std::vector<Kind> kinds_;
  ProvisionerGauges provisioners_;
};

}  // namespace tenon::controllers::status_events
