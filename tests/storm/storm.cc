// SPDX-License-Identifier: Apache-2.0
#include "storm/storm.h"

#include <algorithm>
#include <map>

#include "base/check.h"
#include "cli/demo/sim_process.h"
#include "json/json.h"
#include "storm/workload.h"

// jemalloc's settings, if it is used: a thread keeps freed memory, because it allocates again soon.
extern "C" const char* malloc_conf;
const char* malloc_conf =
    "tcache_nslots_small_max:2000,tcache_nslots_small_min:200,lg_tcache_nslots_mul:4,dirty_decay_ms:-1";

namespace tenon::storm {
namespace {

constexpr Duration kCheckInterval = 5s;     // between checks
constexpr Duration kOutOfStock = 3min;      // of an offering
constexpr size_t kLogEntries = 300;         // of a resource: more than the number of events while a watch is cut
constexpr int64_t kMostBetweenEdits = 400;  // seconds
// In total, with the faults beside each edit, so that no storm takes much longer than the others.
constexpr int kMostEdits = 11;
constexpr uint64_t kNoCapacityOneIn = 40, kReclaimOneIn = 12, kWarnOneIn = 3, kCrashOneIn = 5, kClaimOneIn = 5,
                   kStripOneIn = 5, kForeignOneIn = 6, kUnreadableOneIn = 2, kRefusedOneIn = 4, kSlowEventsOneIn = 4;
constexpr uint64_t kElectsOneIn = 4;           // storms, have two replicas
constexpr uint64_t kBothGenerationsOneIn = 5;  // storms, have a Provisioner beside the NodePools
constexpr uint64_t kStopOneIn = 5, kHangsOneIn = 3;
constexpr int64_t kMostHang = 60;  // seconds
constexpr Duration kSlowEvents = 5min;
constexpr Duration kLaunchComes = 1min;  // until a launch for which a clean stop waits
constexpr Duration kStopsWithin = 1min;  // a clean stop

// The instance types that the NodePools allow, and as many others.
const std::vector<std::string> kInstanceTypes{
    "c5.large",  "m5.large",  "r5.large",   "c5.xlarge",  "m5.xlarge",  "r5.xlarge",  "c5.2xlarge", "m5.2xlarge",
    "c6g.large", "m6i.large", "r6i.xlarge", "r5.2xlarge", "c5.4xlarge", "m5.4xlarge", "t3.medium",  "p3.2xlarge"};

class Storm {
 public:
  // Reports decisions and warnings to the checkers.
  class LogOfStorm : public log::Sink {
   public:
    explicit LogOfStorm(Storm& storm) : storm_(storm) {}
    bool writes(log::Level level) const override { return level != log::Level::kDebug; }
    void write(const log::Line& line) override {
      if (!line.failure && !line.step) storm_.on_decision(log::plain_text(line));
    }

   private:
    Storm& storm_;
  };

  explicit Storm(const StormOptions& options)
      : options_(options),
        faults_(options.seed * 3 + 1),
        prng_(options.seed * 3 + 2),
        api_faults_(faults_, options.seed * 5 + 1, {options.bugs.believe_lists, options.bugs.drop_unreadable}) {
    outcome_.checkers = make_checkers();
    for (const auto& checker : outcome_.checkers) {
      if (checker->name() == options.until_broken) awaited_ = checker.get();
    }
    cli::SimWorld::Options world_options{
        .seed = options.seed,
        .replicas = elects() ? size_t{2} : size_t{1},
        .leader_election = elects(),
        .decisions = cli::default_decisions(),
        .log = log::Logger(std::make_shared<LogOfStorm>(*this)),
        .interruption_queue = cli::kDemoCluster,
        .aws_fault = [this](const std::string& action) { return no_capacity(action); },
        .instance_types = kInstanceTypes,
        .store = {.max_log_entries = kLogEntries},
        // A replica makes its wire to Kubernetes first, then the one to AWS.
        .kube_wire =
            [this](auto inner) {
              identity_ = std::make_shared<std::string>();
              return make_wire(std::move(inner), wire(false));
            },
        .aws_wire = [this](auto inner) { return make_wire(std::move(inner), wire(true)); }};
    faults::plant(options.planted, world_options);
    auto world = cli::SimWorld::make(std::move(world_options));
    CHECK(world.has_value(), world ? "" : world.error().message);
    world_ = std::move(*world);
  }

  Outcome run() {
    const Instant begun = now();
    Workload workload(options_.seed * 3, world_->cluster().api(), options_.seed % kBothGenerationsOneIn == 2);
    workload.set_up();
    blow(workload);
    faults_.calm();
    end_api_faults();
    if (!up_) restart();
    out_of_stock_.clear();
    workload.relax();
    tell("calm");
    run_for(begun + options_.lasts - now());
    if (!over()) {
      for (auto& checker : outcome_.checkers) checker->at_end(truth());
    }
    outcome_.hits = faults_.hits();
    outcome_.trace = world_->sim().trace_hash();
    return std::move(outcome_);
  }

 private:
  Truth truth() const {
    return {world_->cluster().api(), world_->cluster().fake_aws(), world_->sim(), api_faults_, live_, up_, elects()};
  }
  bool elects() const { return options_.seed % kElectsOneIn == 0; }
  bool over() const { return awaited_ != nullptr && !awaited_->broken().empty(); }
  Instant now() const { return world_->sim().now(); }
  void tell(const std::string& what) { outcome_.story.push_back(format_rfc3339(now()) + " " + what); }

  WireOptions wire(bool aws) {
    return {.aws = aws,
            .faults = &faults_,
            .api_faults = &api_faults_,
            .replica = elects() ? identity_ : nullptr,
            .runtime = [this]() -> runtime::Runtime* { return world_ ? &world_->sim() : nullptr; },
            .on_call = [this](const Call& call) { on_call(call); },
            .on_done = [this](const Call& call) { on_done(call); },
            .bugs = options_.bugs};
  }
  void on_done(const Call& call) {
    if (call.launches()) --launches_;
    if (!world_ || call.reads()) return;
    for (auto& checker : outcome_.checkers) checker->on_done(call, truth());
  }
  void on_call(const Call& call) {
    if (call.launches()) ++launches_;
    if (!world_ || call.reads()) return;
    for (auto& checker : outcome_.checkers) checker->on_call(call, truth());
  }
  void on_decision(const std::string& line) {
    if (!world_) return;
    tell(line);
    for (auto& checker : outcome_.checkers) checker->on_decision(line, truth());
  }

  // An offering that is out of stock stays so for some time.
  std::string no_capacity(const std::string& action) {
    if (!world_ || !action.starts_with("CreateFleet/")) return "";
    const auto at = out_of_stock_.find(action);
    if (at != out_of_stock_.end() && now() < at->second) return "InsufficientInstanceCapacity";
    if (!faults_.strikes(Fault::kNoCapacity, kNoCapacityOneIn)) return "";
    out_of_stock_[action] = now() + kOutOfStock;
    return "InsufficientInstanceCapacity";
  }

  void run_checkers() {
    outcome_.most_nodes = std::max(outcome_.most_nodes, truth().nodes().size());
    for (auto& checker : outcome_.checkers) checker->check(truth());
  }

  void run_for(Duration span) {
    for (Duration left = span; left > Duration(0) && !over(); left -= kCheckInterval) {
      pass(std::min<Duration>(left, kCheckInterval));
      run_checkers();
    }
  }
  void pass(Duration span) {
    world_->sim().run_until([this] { return over(); }, span);
  }

  void blow(Workload& workload) {
    const Instant end = now() + options_.blows;
    for (int edits = 0; now() < end && edits < kMostEdits && !over(); ++edits) {
      workload.edit();
      reclaim_some();
      if (faults_.strikes(Fault::kForeignEdited, kForeignOneIn)) workload.edit_foreign();
      start_api_faults();
      if (faults_.strikes(Fault::kClaimDeleted, kClaimOneIn)) delete_claim();
      if (faults_.strikes(Fault::kFinalizersStripped, kStripOneIn)) strip_finalizers();
      if (faults_.strikes(Fault::kControllerCrash, kCrashOneIn)) crash();
      if (prng_.chance(1, kStopOneIn)) stop_cleanly();
      run_for(std::chrono::seconds(prng_.between(1, kMostBetweenEdits)));
    }
    run_for(end - now());
  }

  // Ends the faults of the last round, then starts new ones.
  void start_api_faults() {
    end_api_faults();
    if (prng_.chance(1, kUnreadableOneIn)) make_something_unreadable();
    if (prng_.chance(1, kRefusedOneIn)) refuse_an_eviction();
    if (elects() && faults_.strikes(Fault::kApiHangs, kHangsOneIn))
      api_faults_.hang(leader(), now() + std::chrono::seconds(prng_.between(1, kMostHang)));
    if (prng_.chance(1, kSlowEventsOneIn)) api_faults_.slow_events_until(now() + kSlowEvents);
  }

  // A webhook denies the eviction of one pod while its node drains with other pods on it.
  void refuse_an_eviction() {
    const Truth truth = this->truth();
    const kubesim::Object claim = some(truth.claims());
    const std::string node(claim ? json::string_at(*claim, {"status", "nodeName"}) : "");
    std::vector<kubesim::Object> pods = truth.pods();
    std::erase_if(pods, [&](const auto& pod) { return node.empty() || !on_node(*pod, node) || of_daemon_set(*pod); });
    if (pods.size() < 2) return;
    faults_.count(Fault::kEvictionRefused);
    const std::string pod = key_of(*some(std::move(pods)));
    tell("a webhook refuses the eviction of " + pod + ", and somebody deletes NodeClaim " + name_of(*claim));
    api_faults_.refuse_evictions(pod);
    (void)world_->cluster().api().remove({"karpenter.sh", "nodeclaims"}, "", name_of(*claim));
  }

  void make_something_unreadable() {
    using Choice = std::pair<kubesim::Resource, std::vector<kubesim::Object>>;
    const Truth truth = this->truth();
    const std::vector<Choice> choices{{{"", "pods"}, truth.pods()},
                                      {{"policy", "poddisruptionbudgets"}, truth.disruption_budgets()},
                                      {{"karpenter.sh", "nodeclaims"}, truth.claims()}};
    const Choice& choice = choices[prng_.below(choices.size())];
    const kubesim::Object object = some(choice.second);
    if (!object) return;
    tell(std::string(choice.first.plural) + " " + key_of(*object) + " cannot be read");
    api_faults_.make_unreadable(std::string(choice.first.plural),
                                std::string(json::string_at(*object, {"metadata", "namespace"})), name_of(*object));
    touch(choice.first, json::string_at(*object, {"metadata", "namespace"}), name_of(*object));
  }

  void end_api_faults() {
    const auto unreadable = api_faults_.unreadable();
    api_faults_.end();
    for (const auto& u : unreadable) {
      const std::string group = u.resource == "pods" ? "" : u.resource == "nodeclaims" ? "karpenter.sh" : "policy";
      touch({group, u.resource}, u.ns, u.name);
    }
  }

  // Changes the object so that a watch delivers it.
  void touch(const kubesim::Resource& resource, std::string_view ns, std::string_view name) {
    const json::value patch{{"metadata", {{"annotations", {{"storm/touched", format_rfc3339(now())}}}}}};
    (void)world_->cluster().api().merge_patch(resource, ns, name, patch);
  }

  // Returns a NodeClaim of this provider; null if there is none.
  kubesim::Object some(std::vector<kubesim::Object> all) {
    std::erase_if(all, [](const auto& object) { return name_of(*object).starts_with(kForeign); });
    return all.empty() ? nullptr : all[prng_.below(all.size())];
  }

  // Reclaims spot instances, mostly with notice.
  void reclaim_some() {
    std::vector<std::string> spot;
    for (const auto& instance : truth().live_instances()) {
      if (instance.capacity_type == "spot") spot.push_back(instance.id);
    }
    if (spot.empty()) return;
    const std::string id = spot[prng_.below(spot.size())];
    awssim::FakeAws& aws = world_->cluster().fake_aws();
    if (faults_.strikes(Fault::kSpotReclaimed, kReclaimOneIn)) {
      tell("EC2 takes back " + id);
      aws.reclaim(id);
    } else if (faults_.strikes(Fault::kSpotWarned, kWarnOneIn)) {
      tell("EC2 will take back " + id);
      if (!aws.warn(id, awssim::Notice::kSpotInterruption)) return;
      for (auto& checker : outcome_.checkers) checker->on_notice(id, truth());
    }
  }

  void delete_claim() {
    const auto claim = some(truth().claims());
    if (!claim) return;
    const std::string name = name_of(*claim);
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
    // The times begin at a few milliseconds, so that some seed hits every point of a launch or a drain.
    pass(Duration(prng_.between(1, 10'000'000'000)));
    tell("the controllers crash");
    world_->stop_controllers();
    launches_ = 0;
    up_ = false;
    run_for(std::chrono::seconds(prng_.between(1, 60)));
    restart();
  }

  std::string leader() {
    const auto lease = truth().get({"coordination.k8s.io", "leases"}, "kube-system", "karpenter-leader-election");
    return std::string(lease ? json::string_at(*lease, {"spec", "holderIdentity"}) : "");
  }

  // Sends SIGTERM to every replica while a launch is in flight, if one comes soon. No other fault strikes meanwhile.
  void stop_cleanly() {
    const bool launches = world_->sim().run_until([&] { return launches_ > 0 || over(); }, kLaunchComes);
    run_checkers();
    if (!launches || over()) return;
    faults_.count(Fault::kCleanStop);
    faults_.pause(true);
    api_faults_.hang({}, {});  // a leader that loses the lease leaves its launches to the next one
    tell("the controllers are asked to stop");
    for (auto& checker : outcome_.checkers) checker->on_stop(truth());
    const size_t replicas = elects() ? 2 : 1;
    if (options_.bugs.crash_for_stop) world_->stop_controllers();
    for (size_t i = 0; i < replicas; ++i) world_->process(i).terminate();
    const auto ended = [&] {
      for (size_t i = 0; i < replicas; ++i) {
        if (world_->process(i).running()) return false;
      }
      return true;
    };
    CHECK(world_->sim().run_until(ended, kStopsWithin), "a clean stop takes too long");
    for (auto& checker : outcome_.checkers) checker->on_stopped(truth());
    faults_.pause(false);
    launches_ = 0;
    up_ = false;
    run_for(std::chrono::seconds(prng_.between(1, 20)));
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
  ApiFaults api_faults_;
  Outcome outcome_;
  const Checker* awaited_ = nullptr;  // ends the storm when its invariant is broken
  std::map<std::string, Instant> out_of_stock_;
  bool up_ = true;
  int launches_ = 0;                       // in flight
  std::shared_ptr<std::string> identity_;  // replica whose wires are being created
  mutable LiveInstances live_;
  std::unique_ptr<cli::SimWorld> world_;  // last: its controllers call the members above
};

}  // namespace

Outcome run_storm(const StormOptions& options) { return Storm(options).run(); }

}  // namespace tenon::storm
