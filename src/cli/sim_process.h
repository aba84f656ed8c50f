// A controller process in simulation, with the container around it: it ends when it has lost its lease, and is started
// anew a moment later, as the kubelet does.
// Thread rule: the thread that owns the SimRuntime.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cli/world.h"

namespace tenon::cli {

class SimProcess {
 public:
  // Clients, caches and controllers made from nothing, wired and not running; called for each start.
  using Make = std::function<Result<std::unique_ptr<ControllerParts>>()>;
  SimProcess(runtime::SimRuntime& sim, std::string name, Make make);
  ~SimProcess();  // crashes

  // Errors: those of Make. Nothing happens if it runs.
  Status start();
  // Everything it had is gone, now; its lease runs out.
  void crash();
  // SIGTERM: a clean stop begins. It is not started anew by itself.
  void terminate();
  bool running() const { return parts_ != nullptr; }
  bool leading() const { return parts_ && parts_->replica->leading(); }
  // Of the present life; null while it does not run.
  const ControllerParts* parts() const { return parts_.get(); }
  int leases_lost() const { return leases_lost_; }

 private:
  void live(const std::stop_token& stop);

  runtime::SimRuntime& sim_;
  const std::string name_;
  const Make make_;
  std::unique_ptr<ControllerParts> parts_;
  int leases_lost_ = 0;
  std::unique_ptr<runtime::Task> life_;
};

}  // namespace tenon::cli
