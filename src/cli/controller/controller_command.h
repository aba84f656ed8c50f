// `tenon controller`: the controllers against a real API server and a real AWS (or the servers that the kubeconfig and
// AWS_ENDPOINT_URL name). ControllerProcess is the whole process except for its signals and its log.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "aws/environment.h"
#include "cli/controller/log_level_watch.h"
#include "cli/options/options.h"
#include "cli/process/endpoints.h"
#include "cli/process/logging.h"
#include "cli/profiling/handler.h"
#include "cli/wiring/wiring.h"
#include "http/server.h"
#include "log/log.h"
#include "runtime/live.h"
#include "webhooks/webhooks.h"

namespace tenon::cli {

class ControllerProcess {
 public:
  // As controllers::ReplicaOptions::lost.
  using Lost = std::function<void(const std::string& why)>;

  // Connects, checks what can be checked at once, and serves probes and metrics from then on. Errors: what a user must
  // fix: an option, the kubeconfig, a server that denies access, a port in use.
  static Result<std::unique_ptr<ControllerProcess>> make(const ControllerOptions& options,
                                                         const aws::Environment& environment, const ProcessLog& log,
                                                         Lost lost);
  // Leads and works until `stop`, or until the lease is lost. Call once.
  controllers::Replica::End run(const std::stop_token& stop) { return parts_.replica->run(stop); }
  runtime::Runtime& runtime() { return *runtime_; }

 private:
  ControllerProcess() = default;
  Status set_up(ControllerOptions options, const aws::Environment& environment, const ProcessLog& process_log,
                Lost lost);
  Status read_settings(const std::string& ns, const log::Logger& log, ControllerOptions& options);
  ObjectCounts cached_objects();
  void serve_webhooks(const ControllerOptions& options, const ControllerWiring& wiring);

  std::unique_ptr<runtime::LiveRuntime> runtime_;
  ControllerParts parts_;
  std::unique_ptr<kube::Client> own_client_;      // of the process: no lease fences it
  std::unique_ptr<webhooks::Webhooks> webhooks_;  // null: disabled
  std::shared_ptr<metrics::Collector> process_metrics_;
  std::unique_ptr<EndpointHandler> endpoints_;
  std::unique_ptr<ProfilingHandler> profiling_;     // in front of the endpoints; null: disabled
  std::unique_ptr<LogLevelWatch> log_level_;        // null: the level does not change
  std::unique_ptr<http::Server> metrics_, health_;  // last: they read the rest until they have stopped
};

// Runs the controllers until a signal or the loss of the lease. `without_effect`: the ignored options of Karpenter that
// are set. Returns the exit code.
int run_controller(const ControllerOptions& options, const std::vector<std::string>& without_effect);

}  // namespace tenon::cli
