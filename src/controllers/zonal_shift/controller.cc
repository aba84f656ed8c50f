// SPDX-License-Identifier: Apache-2.0
#include "controllers/zonal_shift/controller.h"

#include <algorithm>

#include "model/labels.h"
#include "model/requirement.h"

namespace tenon::controllers::zonal_shift {
namespace {

bool contains(const std::vector<cloud::Zone>& zones, const std::string& id) {
  return std::any_of(zones.begin(), zones.end(), [&](const cloud::Zone& zone) { return zone.id == id; });
}

std::string words(const cloud::Zone& zone) { return zone.name.empty() ? zone.id : zone.name + " (" + zone.id + ")"; }

bool may_launch_in(const model::NodePool& pool, const cloud::Zone& zone) {
  const auto requirements = model::Requirements::make(pool.node_template.requirements);
  if (!requirements) return false;  // the pool is not Ready and launches nothing
  const bool by_name = zone.name.empty() || requirements->get(model::kLabelZone).allows(zone.name);
  return by_name && requirements->get(model::kLabelZoneId).allows(zone.id);
}

}  // namespace

plan::Plan decide(const View& view) {
  plan::Plan plan;
  const auto tell = [&](const cloud::Zone& zone, const std::string& type, const std::string& reason,
                        const std::string& message) {
    for (const auto& pool : view.pools) {
      if (may_launch_in(*pool, zone)) plan.event(plan::ref(*pool), type, reason, message);
    }
  };
  for (const cloud::Zone& zone : view.now) {
    if (contains(view.before, zone.id)) continue;
    tell(zone, "Warning", "ZonalShiftActive",
         "Zonal shift detected: offerings in zone " + words(zone) + " are unavailable for this NodePool");
    plan.log.push_back({"traffic is shifted away from zone " + words(zone)});
  }
  for (const cloud::Zone& zone : view.before) {
    if (contains(view.now, zone.id)) continue;
    tell(zone, "Normal", "ZonalShiftCleared",
         "Zonal shift ended: offerings in zone " + words(zone) + " are available again for this NodePool");
    plan.log.push_back({"traffic is back in zone " + words(zone)});
  }
  return plan;
}

void Controller::start() {
  loop_ = context_.runtime.spawn("arczonalshift", [this](const std::stop_token& stop) {
    do {
      const Status done = poll(stop);
      if (!done && done.error().code != Code::kCancelled) context_.log.failure("arczonalshift", "", done.error());
    } while (context_.runtime.sleep_for(kInterval, stop) != runtime::Wake::kStopped);
  });
}

void Controller::stop() {
  if (loop_) loop_->request_stop();
  loop_.reset();
}

Status Controller::poll(const std::stop_token& stop) {
  const std::vector<cloud::Zone> now = TRY(health_.shifted_zones(stop));
  const plan::Plan plan = decide({shifted_, now, context_.cluster.pools.list()});
  shifted_ = now;
  TRY(context_.applier.apply(plan, stop));
  return ok();
}

}  // namespace tenon::controllers::zonal_shift
