// SPDX-License-Identifier: Apache-2.0
#include "storm/storm.h"

#include <algorithm>
#include <map>

#include "base/check.h"
#include "json/json.h"
#include "storm/workload.h"

// jemalloc's settings, where it is used: what a thread frees it keeps at hand, as it is about to ask for it again.
extern "C" const char* malloc_conf;
const char* malloc_conf =
    "tcache_nslots_small_max:2000,tcache_nslots_small_min:200,lg_tcache_nslots_mul:4,dirty_decay_ms:-1";

namespace tenon::storm {
namespace {

constexpr Duration kLook = 5s;              // between looks of the checkers
constexpr Duration kOutOfStock = 3min;      // of an offering
constexpr size_t kLogEntries = 300;         // of a resource: more than happens while a watch is cut
constexpr int64_t kMostBetweenEdits = 400;  // seconds
// With what goes wrong beside each, in all: so no storm takes much longer than the others.
constexpr int kMostEdits = 16;
constexpr uint64_t kNoCapacityOneIn = 40, kReclaimOneIn = 12, kWarnOneIn = 3, kCrashOneIn = 5, kClaimOneIn = 5,
                   kStripOneIn = 5;

// Those that the NodePools want, and as many that they do not.
const std::vector<std::string> kInstanceTypes{
    "c5.large",  "m5.large",  "r5.large",   "c5.xlarge",  "m5.xlarge",  "r5.xlarge",  "c5.2xlarge", "m5.2xlarge",
    "c6g.large", "m6i.large", "r6i.xlarge", "r5.2xlarge", "c5.4xlarge", "m5.4xlarge", "t3.medium",  "p3.2xlarge"};

class Storm {
 public:
  explicit Storm(const StormOptions& options)
      : options_(options), faults_(options.seed * 3 + 1), prng_(options.seed * 3 + 2) {
    outcome_.checkers = make_checkers();
    auto world =
        cli::SimWorld::make({.seed = options.seed,
                             .planted = options.planted,
                             .gates = {},
                             .decided = [this](const std::string& line) { on_decision(line); },
                             .interruption_queue = cli::kDemoCluster,
                             .aws_fault = [this](const std::string& action) { return no_capacity(action); },
                             .instance_types = kInstanceTypes,
                             .store = {.max_log_entries = kLogEntries},
                             .kube_wire = [this](auto inner) { return make_wire(std::move(inner), wire(false)); },
                             .aws_wire = [this](auto inner) { return make_wire(std::move(inner), wire(true)); }});
    CHECK(world.has_value(), world ? "" : world.error().message);
    world_ = std::move(*world);
  }

  Outcome run() {
    const Instant begun = now();
    Workload workload(options_.seed * 3, world_->cluster().api());
    workload.set_up();
    blow(workload);
    faults_.calm();
    if (!up_) restart();
    out_of_stock_.clear();
    workload.relax();
    tell("calm");
    run_for(begun + options_.lasts - now());
    for (auto& checker : outcome_.checkers) checker->at_end(truth());
    outcome_.hits = faults_.hits();
    outcome_.trace = world_->sim().trace_hash();
    return std::move(outcome_);
  }

 private:
  Truth truth() const { return {world_->cluster().api(), world_->cluster().fake_aws(), world_->sim(), live_, up_}; }
  Instant now() const { return world_->sim().now(); }
  void tell(const std::string& what) { outcome_.story.push_back(format_rfc3339(now()) + " " + what); }

  WireOptions wire(bool aws) {
    return {
        .aws = aws, .faults = &faults_, .on_call = [this](const Call& call) { on_call(call); }, .bugs = options_.bugs};
  }
  void on_call(const Call& call) {
    if (!world_ || call.reads()) return;
    for (auto& checker : outcome_.checkers) checker->on_call(call, truth());
  }
  void on_decision(const std::string& line) {
    if (!world_) return;
    tell(line);
    for (auto& checker : outcome_.checkers) checker->on_decision(line, truth());
  }

  // An offering that is out of stock stays so for a while.
  std::string no_capacity(const std::string& action) {
    if (!world_ || !action.starts_with("CreateFleet/")) return "";
    const auto at = out_of_stock_.find(action);
    if (at != out_of_stock_.end() && now() < at->second) return "InsufficientInstanceCapacity";
    if (!faults_.strikes(Fault::kNoCapacity, kNoCapacityOneIn)) return "";
    out_of_stock_[action] = now() + kOutOfStock;
    return "InsufficientInstanceCapacity";
  }

  void look() {
    outcome_.most_nodes = std::max(outcome_.most_nodes, truth().nodes().size());
    for (auto& checker : outcome_.checkers) checker->look(truth());
  }

  void run_for(Duration span) {
    for (Duration left = span; left > Duration(0); left -= kLook) {
      world_->sim().run_for(std::min<Duration>(left, kLook));
      look();
    }
  }

  void blow(Workload& workload) {
    const Instant end = now() + options_.blows;
    for (int edits = 0; now() < end && edits < kMostEdits; ++edits) {
      workload.edit();
      reclaim_some();
      if (faults_.strikes(Fault::kClaimDeleted, kClaimOneIn)) delete_claim();
      if (faults_.strikes(Fault::kFinalizersStripped, kStripOneIn)) strip_finalizers();
      if (faults_.strikes(Fault::kControllerCrash, kCrashOneIn)) crash();
      run_for(std::chrono::seconds(prng_.between(1, kMostBetweenEdits)));
    }
    run_for(end - now());
  }

  // Mostly with notice.
  void reclaim_some() {
    std::vector<std::string> spot;
    for (const auto& instance : truth().live_instances()) {
      if (instance.capacity_type == "spot") spot.push_back(instance.id);
    }
    if (spot.empty()) return;
    const std::string id = spot[prng_.below(spot.size())];
    minicluster::FakeAws& aws = world_->cluster().fake_aws();
    if (faults_.strikes(Fault::kSpotReclaimed, kReclaimOneIn)) {
      tell("EC2 takes back " + id);
      aws.reclaim(id);
    } else if (faults_.strikes(Fault::kSpotWarned, kWarnOneIn)) {
      tell("EC2 will take back " + id);
      if (!aws.warn(id, minicluster::Notice::kSpotInterruption)) return;
      for (auto& checker : outcome_.checkers) checker->on_notice(id, truth());
    }
  }

  void delete_claim() {
    const auto claims = truth().claims();
    if (claims.empty()) return;
    const std::string name = name_of(*claims[prng_.below(claims.size())]);
    tell("somebody deletes NodeClaim " + name);
    (void)world_->cluster().api().remove({"karpenter.sh", "nodeclaims"}, "", name);
  }

  void strip_finalizers() {
    for (const auto& claim : truth().claims()) {
      if (!deleting(*claim)) continue;
      tell("somebody strips the finalizers of NodeClaim " + name_of(*claim));
      const json::value patch{{"metadata", {{"finalizers", nullptr}}}};
      (void)world_->cluster().api().merge_patch({"karpenter.sh", "nodeclaims"}, "", name_of(*claim), patch);
      return;
    }
  }

  void crash() {
    // From a few milliseconds on, so that every point of a launch or a drain is hit by some seed.
    world_->sim().run_for(Duration(prng_.between(1, 10'000'000'000)));
    tell("the controllers crash");
    world_->stop_controllers();
    up_ = false;
    run_for(std::chrono::seconds(prng_.between(1, 60)));
    restart();
  }

  void restart() {
    const Status started = world_->start_controllers();
    CHECK(started.has_value(), started ? "" : started.error().message);
    up_ = true;
    tell("the controllers start");
  }

  const StormOptions& options_;
  FaultPoints faults_;
  Prng prng_;
  Outcome outcome_;
  std::map<std::string, Instant> out_of_stock_;
  bool up_ = true;
  mutable LiveInstances live_;
  std::unique_ptr<cli::SimWorld> world_;  // last: its controllers call the rest
};

}  // namespace

Outcome run_storm(const StormOptions& options) { return Storm(options).run(); }

}  // namespace tenon::storm
