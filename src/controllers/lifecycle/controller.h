// Takes a NodeClaim from creation to a usable node, and to its end: launch, registration, initialization, liveness,
// termination; see decide.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "cloud/instance_reader.h"
#include "cloud/launch_reader.h"
#include "controllers/context.h"
#include "controllers/controller.h"
#include "controllers/lifecycle/decide.h"
#include "controllers/loop.h"
#include "runtime/backoff.h"

namespace tenon::controllers::lifecycle {

inline constexpr Duration kFirstRetry = 1s, kLastRetry = 1min;  // after a failed launch; doubles

class Controller final : public controllers::Controller {
 public:
  // Registers with the caches: before Cluster::start().
  Controller(Context& context, cloud::LaunchReader& launches, cloud::InstanceReader& instances);
  void start() override { loop_.start(); }
  void stop() override { loop_.stop(); }

  // No launch starts any more. Launches in flight continue and are recorded on their claims; the rest is left to the
  // next leader.
  void wind_down() override;
  bool await_recorded(Instant deadline, const std::stop_token& stop) override;

 private:
  Result<Next> reconcile(const std::string& name, const std::stop_token& stop);
  cloud::InstanceTypes overlaid_types(const model::NodeClaim& claim) const;
  void check_limits(const model::NodeClaim& claim, LaunchView& launch) const;
  LaunchView launch_view(const model::NodeClaim& claim) const;
  View as_of_now(View view) const;
  View after_launch(View view) const;
  Instant retry_at(const std::string& uid);
  void forget_launch(const model::NodeClaim& claim);
  void note_launch(const std::string& uid, bool failed);
  bool begin_launch(const std::string& uid);
  void end_launch(const std::string& uid);
  bool unrecorded(const model::NodeClaim& claim);
  bool rests(const std::string& uid);
  bool all_recorded();
  cloud::BeforeRegistration ask_before_registration(const model::NodeClaim& claim, const std::stop_token& stop);
  Result<Next> launch(const View& view, const std::stop_token& stop);
  Result<Next> adopt(View view, const std::string& provider_id, const std::stop_token& stop);
  Result<Next> launch_failed(const View& view, const Error& error, const std::stop_token& stop);
  Result<Next> end(const View& view, const std::stop_token& stop);
  Result<Next> apply(const plan::Plan& plan, const std::stop_token& stop);
  void note_outcome(const model::NodeClaim& claim, const std::optional<Outcome>& outcome);

  Context& context_;
  cloud::LaunchReader& launches_;
  cloud::InstanceReader& instances_;
  std::mutex mutex_;
  struct Launch {
    cloud::Instance instance;
    bool written = false;  // to the claim
  };
  std::map<std::string, Launch> launched_;  // by claim uid, until the cached claim shows it
  struct Retry {
    Instant at{};
    runtime::Backoff pauses{{.first = kFirstRetry, .max = kLastRetry}};
  };
  std::map<std::string, Retry> retries_;  // of failed launches, by claim uid
  bool ending_ = false;                   // wind_down() was called
  std::set<std::string> in_flight_;       // claims by uid: launch requested, answer not recorded yet
  const std::unique_ptr<runtime::Event> recorded_;
  Loop loop_;
};

}  // namespace tenon::controllers::lifecycle
