// SPDX-License-Identifier: Apache-2.0
#include "controllers/watchdog/controller.h"

#include <algorithm>

#include "runtime/token_bucket.h"

namespace tenon::controllers::watchdog {
namespace {

std::vector<state::Obstacle> all_obstacles(const state::Cluster& cluster) {
  std::vector<state::Obstacle> all = cluster.cache_obstacles();
  for (state::Obstacle& one : cluster.state_obstacles()) all.push_back(std::move(one));
  return all;
}

std::string qualified(const std::string& ns, const std::string& name) { return ns.empty() ? name : ns + "/" + name; }

}  // namespace

std::vector<std::string> report(std::vector<state::Obstacle> obstacles, Instant now) {
  std::erase_if(obstacles, [&](const auto& one) { return now - one.since < kTolerated; });
  std::stable_sort(obstacles.begin(), obstacles.end(), [](const auto& a, const auto& b) { return a.since < b.since; });
  std::vector<std::string> lines;
  for (const state::Obstacle& one : obstacles) {
    if (lines.size() == kMaxLines) {
      lines.push_back("and " + std::to_string(obstacles.size() - kMaxLines) + " other(s)");
      break;
    }
    const auto lasted = std::chrono::floor<std::chrono::seconds>(now - one.since);
    lines.push_back(one.kind + (one.name.empty() ? "" : " " + one.name) + ", for " + format_go_duration(lasted) + ": " +
                    one.what);
  }
  return lines;
}

// Computed when the metrics are collected.
class Controller::Gauges : public metrics::Collector {
 public:
  Gauges(runtime::Runtime& runtime, state::Cluster& cluster, metrics::Registry& registry)
      : runtime_(runtime),
        cluster_(&cluster),
        synced_(registry.gauge({"karpenter_cluster_state_synced", "1 if the cluster's state is complete, else 0."})),
        unsynced_(registry.gauge({"karpenter_cluster_state_unsynced_time_seconds",
                                  "Seconds that the cluster's state has not been complete."})),
        blocked_(registry.gauge({"tenon_cluster_state_blocked_seconds",
                                 "Seconds that a kind's cache, or an object, has kept the cluster's state from being "
                                 "complete.",
                                 {"kind", "name"}})),
        unreadable_(
            registry.gauge({"tenon_unreadable_objects", "Objects that cannot be decoded now, by kind.", {"kind"}})) {}

  void detach() {
    const std::lock_guard lock(mutex_);
    cluster_ = nullptr;
  }

  void before_text() override {
    const std::lock_guard lock(mutex_);
    if (!cluster_) return;
    const Instant now = runtime_.now();
    Instant since = now;
    for (const state::Obstacle& one : all_obstacles(*cluster_)) {
      if (one.blocks) since = std::min(since, one.since);
      blocked_.set({{"kind", one.kind}, {"name", one.name}}, in_seconds(now - one.since));
    }
    const bool synced = cluster_->synced() && cluster_->trusted();
    synced_.set(synced ? 1 : 0);
    unsynced_.set(synced ? 0 : in_seconds(now - since));
    for (const kube::AnyInformer* cache : cluster_->caches()) {
      if (const size_t count = cache->unreadable().size(); count > 0)
        unreadable_.set({{"kind", cache->type().kind}}, static_cast<double>(count));
    }
  }
  void after_text() override {
    blocked_.remove_matching({});
    unreadable_.remove_matching({});
  }

 private:
  runtime::Runtime& runtime_;
  std::mutex mutex_;
  state::Cluster* cluster_;  // null: it is destroyed
  metrics::Gauge &synced_, &unsynced_, &blocked_, &unreadable_;
};

Controller::Controller(Context& context, metrics::Registry& registry)
    : context_(context),
      unreadable_total_(registry.counter({"tenon_unreadable_objects_total",
                                          "Objects that could not be decoded in full, by kind: kept as far as they "
                                          "were read, and nothing that they touch is disrupted.",
                                          {"kind"}})),
      gauges_(std::make_shared<Gauges>(context.runtime, context.cluster, registry)),
      news_(context.runtime.make_event()) {
  registry.add(gauges_);
  context_.cluster.on_unreadable([this](const kube::Unreadable& one) {
    unreadable_total_.add({{"kind", one.type->kind}});
    {
      const std::lock_guard lock(mutex_);
      if (unreported_.size() >= kMaxUnreported) return;
      unreported_.push_back(one);
    }
    news_->notify();
  });
}

Controller::~Controller() {
  gauges_->detach();
  stop();
}

void Controller::start() {
  loop_ = context_.runtime.spawn("watchdog", [this](const std::stop_token& stop) { run(stop); });
}

void Controller::stop() {
  if (loop_) loop_->request_stop();
  loop_.reset();
}

void Controller::run(const std::stop_token& stop) {
  runtime::TokenBucket reports(kReportInterval);
  reports.take(context_.runtime.now());  // the first report comes after one interval
  while (true) {
    const uint64_t seen = news_->version();
    report_unreadable(stop);
    const Instant now = context_.runtime.now();
    if (reports.try_take(now)) {
      for (const std::string& line : report(all_obstacles(context_.cluster), now))
        context_.log.failure("state", "",
                             {Code::kInternal, "the cluster's state is incomplete: " + line, std::nullopt});
    }
    if (news_->wait(seen, reports.due(now), stop) == runtime::Wake::kStopped) return;
  }
}

void Controller::report_unreadable(const std::stop_token& stop) {
  std::vector<kube::Unreadable> unreported;
  {
    const std::lock_guard lock(mutex_);
    unreported.swap(unreported_);
  }
  for (const kube::Unreadable& one : unreported) {
    const std::string name = one.type->kind + " " + qualified(one.ns, one.name);
    context_.log.failure("state", qualified(one.ns, one.name),
                         {Code::kInvalid, name + " cannot be read: " + one.problem, std::nullopt});
    plan::Plan plan;
    plan.event({one.type->api_version(), one.type->kind, one.ns, one.name, one.uid}, "Warning", "Unreadable",
               "Cannot be read, so nothing that it touches is disrupted: " + one.problem);
    (void)context_.applier.apply(plan, stop);  // an event; a failure has no consequence
  }
}

}  // namespace tenon::controllers::watchdog
