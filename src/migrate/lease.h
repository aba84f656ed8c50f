// The lease of the controllers, held while a cluster is converted, so that no controller works on half of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "http/fence.h"
#include "kube/client.h"
#include "kube/leader.h"
#include "runtime/runtime.h"

namespace tenon::migrate {

// A Lease of the name of the controllers' one.
struct FoundLease {
  std::string ns, holder;  // holder: empty if it was released
  bool live = false;       // renewed so recently that its holder may act
};
// Returns the leases of this name in all namespaces: wherever a controller runs, it acts on the whole cluster. Errors:
// those of the client.
Result<std::vector<FoundLease>> find_leases(kube::Client& client, const std::string& name, Instant now,
                                            const std::stop_token& stop);
// "tenon-1 holds the lease karpenter/karpenter-leader-election"; empty: no lease is live.
std::string live_holder(const std::vector<FoundLease>& leases, const std::string& name);

// Holds the lease until it is destroyed, which releases it. If it is lost, the fence is closed: no write starts then.
class HeldLease {
 public:
  // Waits until a holder that has vanished counts as gone. Errors: kConflict, another holder renews the lease.
  static Result<std::unique_ptr<HeldLease>> acquire(runtime::Runtime& runtime, kube::Client& client,
                                                    kube::LeaderOptions options, http::Fence& fence,
                                                    const std::stop_token& stop);
  ~HeldLease();

 private:
  HeldLease(runtime::Runtime& runtime, kube::Client& client, kube::LeaderOptions options)
      : elector_(runtime, client, std::move(options)) {}
  kube::LeaderElector elector_;
};

}  // namespace tenon::migrate
