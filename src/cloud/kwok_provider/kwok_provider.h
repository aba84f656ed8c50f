// The Provider of a cluster without a cloud: a launch creates a Node, which the program kwok keeps Ready, and a
// termination deletes it. It serves NodePools of KWOKNodeClasses (karpenter.kwok.sh/v1alpha1).
// parity: karpenter kwok/cloudprovider/cloudprovider.go
//
// An instance exists as long as its Node, and until spec.nodeRegistrationDelay of its class has passed, without one. A
// deleted Node with the finalizer of Karpenter still runs, because it is being drained.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "cloud/provider.h"
#include "kube/client.h"
#include "log/log.h"
#include "model/instance_type.h"
#include "runtime/runtime.h"

namespace tenon::cloud {

struct KwokProviderOptions {
  std::vector<model::InstanceType> types;  // by name (instance_types.h)
  tenon::log::Logger log = {};             // Nodes that could not be created after their delay
};

// Borrows runtime and client. No request is sent before the first call.
std::unique_ptr<Provider> make_kwok_provider(runtime::Runtime& runtime, kube::Client& client,
                                             KwokProviderOptions options);

}  // namespace tenon::cloud
