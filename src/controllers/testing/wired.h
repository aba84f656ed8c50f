// The parts that a controller receives, over a FakeApi and a cloud in memory, in virtual time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cloud/testing/memory_provider.h"
#include "controllers/apply/applier.h"
#include "controllers/context.h"
#include "http/loopback_transport.h"
#include "kube/testing/fake_api.h"
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
  std::vector<std::string> decided, failed;  // the lines that a log would have
  cloud::testing::MemoryProvider cloud{*sim};
  state::Ledger ledger{*sim};
  Applier applier{{*sim, *client, events, cloud, ledger},
                  {.decided = [this](const std::string& line) { decided.push_back(line); }},
                  {.abort_on_violation = true}};
  state::Cluster cluster{
      *sim, *client, ledger, {.types_of = [](const model::NodePool&) { return state::PoolTypes(); }}};
  Metrics metrics{registry};
  RegistrationHealth health;
  Context context{*sim,
                  cluster,
                  ledger,
                  applier,
                  metrics,
                  health,
                  [this](const std::string& line) { decided.push_back(line); },
                  [this](const std::string& controller, const std::string& key, const Error& error) {
                    failed.push_back(controller + " " + key + ": " + error.message);
                  }};
};

}  // namespace tenon::controllers::testing
