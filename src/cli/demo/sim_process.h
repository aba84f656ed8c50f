// A controller process in simulation, with its container: it ends when it has lost its lease, and is restarted a moment
// later, as the kubelet does.
// Thread rule: the thread that owns the SimRuntime.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cli/demo/world.h"

namespace tenon::cli {

class SimProcess {
 public:
  // Creates clients, caches and controllers, wired and not running; called for each start.
  using Make = std::function<Result<std::unique_ptr<ControllerParts>>()>;
  SimProcess(runtime::SimRuntime& sim, std::string name, Make make);
  ~SimProcess();  // crashes

  // Errors: those of Make. No effect if it runs.
  Status start();
  // Ends at once, without releasing its lease, which expires.
  void crash();
  // SIGTERM: begins a clean stop. The process is not restarted by itself.
  void terminate();
  bool running() const { return parts_ != nullptr; }
  bool leading() const { return parts_ && parts_->replica->leading(); }
  // Set during the current run; otherwise null.
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
