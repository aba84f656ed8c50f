// A whole cluster in this process: API server, scheduler, kubelets, workload controllers, and AWS at wire level. The
// same code runs on real threads and in simulation.
//
//   Minicluster cluster(runtime, {});
//   cluster.start();
//   auto server = http::start_server(cluster.api_handler(), …);   // or a loopback transport in simulation
//
// Thread rule: any thread may call the accessors between start() and stop().
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "awssim/fake_aws.h"
#include "base/result.h"
#include "http/handler.h"
#include "kubesim/api.h"
#include "kubesim/apiserver/webhooks/caller.h"
#include "kubesim/kubelet/faults.h"
#include "kubesim/store/store.h"
#include "runtime/runtime.h"

namespace tenon::minicluster {

// Delays of the simulated machines.
struct Delays {
  Duration boot = 20s;         // from the instance state running to the registration of the Node
  Duration ready = 5s;         // from the registration to Ready
  Duration pod_start = 1s;     // from the binding to Running
  Duration pod_stop = 1s;      // from the deletion request to the removal, at most the grace period
  Duration node_removal = 5s;  // from the termination of the instance to the deletion of its Node
};

struct MiniclusterOptions {
  awssim::FakeAwsOptions aws;
  Delays delays;
  kubesim::StoreOptions store;
  kubesim::apiserver::WebhookTransport webhooks;         // of the API server; empty: it calls no webhooks
  std::string bearer_token;                              // required by the API server; empty: no authentication
  bool install_crds = true;                              // NodePool, NodeClaim, EC2NodeClass
  bool install_optional_crds = false;                    // NodeOverlay, CapacityBuffer
  bool install_legacy_crds = false;                      // Provisioner, AWSNodeTemplate
  bool install_kwok_crds = false;                        // KWOKNodeClass
  std::shared_ptr<const kubesim::MachineFaults> faults;  // null: no faults
};

class Minicluster {
 public:
  Minicluster(runtime::Runtime& runtime, MiniclusterOptions options);
  ~Minicluster();  // calls stop()

  // Installs the CRDs and starts the actors. Errors: kInternal if the API server rejects a built-in manifest.
  Status start();
  void stop();

  kubesim::Api& api();
  http::Handler& api_handler();
  awssim::FakeAws& fake_aws();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace tenon::minicluster
