// A whole cluster in this process: API server, scheduler, kubelets, workload controllers, and AWS at wire level. Runs
// the same on real threads and in simulation.
//
//   Minicluster cluster(runtime, {});
//   cluster.start();
//   auto server = http::start_server(cluster.api_handler(), …);   // or a loopback transport in simulation
//
// Thread rule: accessors from any thread between start() and stop().
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "http/handler.h"
#include "minicluster/api.h"
#include "minicluster/fake_aws/fake_aws.h"
#include "minicluster/kubelet/faults.h"
#include "minicluster/store/store.h"
#include "runtime/runtime.h"

namespace tenon::minicluster {

// How long the simulated machines take.
struct Delays {
  Duration boot = 20s;         // from running to a Node that has joined
  Duration ready = 5s;         // from joined to Ready
  Duration pod_start = 1s;     // from bound to Running
  Duration pod_stop = 1s;      // from a deletion to its end, at most the grace period
  Duration node_removal = 5s;  // from a terminated instance to its Node's deletion
};

struct MiniclusterOptions {
  FakeAwsOptions aws;
  Delays delays;
  StoreOptions store;
  std::string bearer_token;                     // that the API server asks for; empty: anyone may
  bool install_crds = true;                     // NodePool, NodeClaim, EC2NodeClass
  bool install_optional_crds = false;           // NodeOverlay, CapacityBuffer
  std::shared_ptr<const MachineFaults> faults;  // null: nothing goes wrong
};

class Minicluster {
 public:
  Minicluster(runtime::Runtime& runtime, MiniclusterOptions options);
  ~Minicluster();  // stops

  // Namespaces, CRDs and the actors. Errors: kInternal, a built-in manifest is refused.
  Status start();
  void stop();

  Api& api();
  http::Handler& api_handler();
  FakeAws& fake_aws();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace tenon::minicluster
