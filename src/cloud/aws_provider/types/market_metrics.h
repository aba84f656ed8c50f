// Metrics of types, offerings, prices and the prices' age, with a warning if prices are stale.
// parity: provider-aws pkg/providers/instancetype/metrics.go (the karpenter_ names)
// Thread rule: any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "cloud/aws_provider/types/prices.h"
#include "cloud/provider.h"
#include "log/log.h"
#include "metrics/registry.h"

namespace tenon::cloud {

class MarketMetrics {
 public:
  // `registry` is borrowed and may be null.
  MarketMetrics(metrics::Registry* registry, tenon::log::Logger log);

  // Publishes the types of one node class; returns early if the list is unchanged.
  void show(const std::string& node_class, const InstanceTypes& types);
  void forget(const std::string& node_class);
  // Warns once when prices become stale, and once when they are fresh again.
  void show_ages(const Prices::Ages& ages);
  // Publishes the size of a class's user data in bytes, decoded. Returns true if the size is new.
  bool show_user_data(const std::string& node_class, size_t bytes);

 private:
  struct Gauges {
    metrics::Gauge& cpu;
    metrics::Gauge& memory;
    metrics::Gauge& available;
    metrics::Gauge& price;
    metrics::Gauge& age;
    metrics::Gauge& user_data;
  };
  void count_available();  // at standard detail; needs mutex_
  void show_age(const std::string& source, std::optional<Duration> age);

  const tenon::log::Logger log_;
  std::unique_ptr<Gauges> gauges_;
  std::mutex mutex_;
  std::map<std::string, InstanceTypes> shown_;  // by class
  std::map<std::string, bool> stale_;           // by source
  std::map<std::string, size_t> user_data_;     // by class
};

}  // namespace tenon::cloud
