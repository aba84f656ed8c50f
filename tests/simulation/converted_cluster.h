// A cluster of v0.27 for tests of `tenon convert --in-cluster`: three nodes of the Provisioner `old`, each filled by
// one pod. The last node is as Karpenter v0.27 leaves it: owned by the Provisioner, without a NodeClaim, without the
// tags that Tenon adds. The controllers are stopped.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/value.hpp>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/testing/temp_folder.h"
#include "cli/options/options.h"
#include "simulation/life.h"

namespace tenon::simulation {

// What must survive.
struct Inventory {
  std::set<std::string> instances;           // ids of running ones
  std::map<std::string, std::string> nodes;  // uid by name
  std::set<std::string> pods;                // uids
  friend bool operator==(const Inventory&, const Inventory&) = default;
};

// The outcome of one run of the command.
struct Ran {
  int code = 0;
  int writes = 0;  // that reached the API server and EC2, without those of the lease
  std::string out, err;
};

class ConvertedCluster {
 public:
  // `spec`: more of the Provisioner's spec.
  explicit ConvertedCluster(const std::string& spec = ", consolidation: {enabled: true}");

  Life& life() { return life_; }
  // Runs the command. After `cut_after` writes nothing reaches the servers any more, as if the process was killed.
  // `after_write`: called with the number of writes so far, on the command's actor; may be empty.
  Ran convert(cli::ConvertOptions options, int cut_after = 1'000'000, std::function<void(int)> after_write = {});
  Ran apply(int cut_after = 1'000'000) { return convert(options(true), cut_after); }
  cli::ConvertOptions options(bool apply) const;
  std::string file() const { return folder_.path() + "/rollback.yaml"; }

  Inventory inventory();
  // Provider ids that have a NodeClaim, each as often as it has one.
  std::multiset<std::string> claimed();
  std::vector<boost::json::value> all(const kubesim::Resource& resource);
  std::map<std::string, std::string> tags(const std::string& instance);
  // Returns what is not as v1 has it; empty: all is converted.
  std::string unconverted();
  // Waits until the lease of a process that was killed has expired.
  void wait_for_lease() { life_.run_for(30s); }
  std::string lease_holder();
  void take_lease(const std::string& holder);
  // Starts the controllers and kills them after this time.
  void run_controller(Duration span);

 private:
  void make_bare();
  TempFolder folder_;
  Life life_;
};

}  // namespace tenon::simulation
