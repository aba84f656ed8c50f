// LogLevelWatch: keeps the level of the log at that of the ConfigMap config-logging, which Karpenter v0.27 has. Without
// the ConfigMap, or without a level in it, the level is that of the command line. A value that is not a level is
// reported, and the level stays. While the API server does not answer, the level stays, too.
// parity: karpenter-core v0.27.5 pkg/operator/logging
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <memory>
#include <string>

#include "cli/process/logging.h"
#include "kube/informer.h"

namespace tenon::cli {

class LogLevelWatch : private kube::Reflector::Sink {
 public:
  // Borrows `runtime` and `client`. `ns`: the namespace of the controller.
  LogLevelWatch(runtime::Runtime& runtime, kube::Client& client, const std::string& ns, ProcessLog log,
                std::string by_default);
  ~LogLevelWatch() override;
  void start();  // once

 private:
  void list_begins() override;
  void list_item(const boost::json::value& object) override;
  bool list_done() override;
  void upsert(const boost::json::value& object) override;
  void erase(const boost::json::value& object) override;
  void no_such_kind() override {}
  void set(const std::string& wanted);

  const ProcessLog log_;
  const std::string by_default_;
  std::string now_;                                   // only the watch's thread uses it
  bool listed_ = false;                               // likewise: the list holds the ConfigMap
  const std::unique_ptr<kube::Reflector> reflector_;  // last: its thread calls this object
};

}  // namespace tenon::cli
