// The parts that a controller receives, over a FakeApi and a cloud in memory, in virtual time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cloud/testing/memory_provider.h"
#include "controllers/apply/applier.h"
#include "controllers/context.h"
#include "http/loopback_transport.h"
#include "kube/testing/fake_api.h"
#include "log/testing/capture.h"
#include "metrics/registry.h"
#include "runtime/sim.h"

namespace tenon::controllers::testing {

struct Wired {
  Wired() { cluster.types_asked(); }

  std::unique_ptr<runtime::SimRuntime> sim = runtime::make_sim_runtime({});
  kube::testing::FakeApi api{*sim};
  std::unique_ptr<http::Transport> transport = http::make_loopback_transport({{"api", &api}});
  std::unique_ptr<kube::Client> client = kube::make_client(*sim, *transport, {.server = "http://api"});
  metrics::Registry registry;
  kube::EventRecorder events{*sim, *client, registry};
  std::shared_ptr<tenon::log::testing::Capture> log = std::make_shared<tenon::log::testing::Capture>();
  cloud::testing::MemoryProvider cloud{*sim};
  state::Ledger ledger{*sim};
  std::function<state::PoolTypes(const model::NodePool&)> types_of = [](const auto&) { return state::PoolTypes(); };
  Applier applier{{*sim, *client, events, cloud, ledger, tenon::log::Logger(log)}, {}, {.abort_on_violation = true}};
  state::Cluster cluster{
      *sim, *client, ledger, {.types_of = [this](const model::NodePool& pool) { return types_of(pool); }}};
  Metrics metrics{registry};
  RegistrationHealth health;
  Context context{*sim, cluster, ledger, applier, metrics, health, tenon::log::Logger(log)};
};

}  // namespace tenon::controllers::testing
