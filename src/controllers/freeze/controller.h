// Reports what the ConfigMap tenon-freeze stops: the metric tenon_frozen, log lines and events; see decide.h. It
// decides nothing: the executor and the disruption controller obey the ConfigMap themselves.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "controllers/context.h"
#include "controllers/controller.h"
#include "controllers/freeze/decide.h"
#include "controllers/loop.h"

namespace tenon::controllers::freeze {

class Controller final : public controllers::Controller {
 public:
  // Registers with the watch, which must not be null: before it starts.
  explicit Controller(Context& context);
  void start() override;
  void stop() override { loop_.stop(); }

 private:
  Result<Next> reconcile(const std::stop_token& stop);

  Context& context_;
  View told_;  // only the one worker
  Loop loop_;
};

}  // namespace tenon::controllers::freeze
