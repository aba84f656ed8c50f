// The running instances of the cluster that this process lists, launches and terminates. The on-demand ones use
// commitments.
// Thread rule: any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "catalog/price_file.h"

namespace tenon::cloud {

class RunningInstancesOfCluster {
 public:
  struct Entry {
    std::string type, zone, capacity_type;
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  void replace(std::map<std::string, Entry> all);  // by instance id
  void add(const std::string& id, Entry entry);
  void remove(const std::string& id);

  bool known() const;  // replace() was called
  std::vector<catalog::RunningInstances> on_demand() const;
  uint64_t version() const;  // changes with the content

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Entry> all_;
  bool known_ = false;
  uint64_t version_ = 0;
};

}  // namespace tenon::cloud
