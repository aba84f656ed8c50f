// SPDX-License-Identifier: Apache-2.0
#include "controllers/garbage_collection/profiles.h"

#include "model/labels.h"

namespace tenon::controllers::garbage_collection {
namespace {

template <class T>
std::vector<std::shared_ptr<const T>> shared(std::vector<T> objects) {
  std::vector<std::shared_ptr<const T>> out;
  for (T& object : objects) out.push_back(std::make_shared<const T>(std::move(object)));
  return out;
}

}  // namespace

std::set<std::string> profiles_in_use(const std::vector<std::shared_ptr<const model::NodeClass>>& classes,
                                      const std::vector<std::shared_ptr<const model::NodeClaim>>& claims) {
  std::set<std::string> names;
  for (const auto& node_class : classes) names.insert(node_class->resolved_instance_profile);
  for (const auto& claim : claims) {
    names.emplace(model::lookup(claim->meta.annotations, model::kAnnotationInstanceProfile));
  }
  names.erase("");
  return names;
}

void ProfileCollector::start() {
  loop_ = context_.runtime.spawn("instanceprofile.garbagecollection", [this](const std::stop_token& stop) {
    while (context_.runtime.sleep_for(kProfileInterval, stop) != runtime::Wake::kStopped) {
      const Status done = collect(stop);
      if (!done && done.error().code != Code::kCancelled) {
        context_.log.failure("instanceprofile.garbagecollection", "", done.error());
      }
    }
  });
}

void ProfileCollector::stop() {
  if (loop_) loop_->request_stop();
  loop_.reset();
}

Status ProfileCollector::collect(const std::stop_token& stop) {
  auto& cluster = context_.cluster;
  if (!cluster.caches_synced() || !cluster.trusted()) return ok();
  // Reads the caches and the API server: a profile that either of them names is in use.
  std::set<std::string> in_use = profiles_in_use(cluster.node_classes.list(), cluster.claims.list());
  in_use.merge(profiles_in_use(shared(TRY(cluster.read_node_classes(stop))), shared(TRY(cluster.read_claims(stop)))));
  plan::Plan plan;
  plan.add(plan::RemoveStrayProfiles{std::move(in_use)});
  const Outcome outcome = TRY(context_.applier.apply(plan, stop));
  for (const std::string& name : outcome.removed_profiles) {
    context_.log.info("removed instance profile " + name + ": no node class and no NodeClaim uses it");
  }
  return ok();
}

}  // namespace tenon::controllers::garbage_collection
