// One workload controller: it observes every change, marks the objects that need a sync, and brings each of them a step
// closer to its spec. All controllers share one actor's thread and one View.
// Each make_ function is in a source of its own: deployment.cc, replica_set.cc, daemon_set.cc, stateful_set.cc, job.cc,
// disruption_budget.cc, node_lifecycle.cc, pod_collector.cc, volume_binder.cc.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <set>
#include <string>

#include "kubesim/actors/timers.h"
#include "kubesim/actors/write.h"
#include "kubesim/workloads/view.h"

namespace tenon::kubesim {

struct WorkloadOptions {
  Duration orphaned_pods = 20s;             // from a Node's deletion to that of the pods that are bound to it
  std::string default_zone = "us-east-1a";  // of a volume that is provisioned before a pod uses it
};

struct Cluster {
  runtime::Runtime& runtime;
  Api& api;
  const View& view;
  const WorkloadOptions& options;
  Instant now() const { return runtime.now(); }
};

class Controller {
 public:
  explicit Controller(Cluster& cluster) : cluster_(cluster) {}
  virtual ~Controller() = default;

  // before is null for a new object, after is null for a deleted one.
  virtual void observe(const Resource& resource, const Object& before, const Object& after) = 0;
  // Syncs the marked and due objects; returns true if there was any.
  bool work();
  Instant next_due() const { return later_.next(); }

 protected:
  // The object may be deleted. An error causes a retry after kRetryAfter.
  virtual Status sync(const ObjectKey& key) = 0;
  void mark(ObjectKey key) { dirty_.insert(std::move(key)); }
  void mark_at(Instant when, ObjectKey key) { later_.add(when, std::move(key)); }
  // Marks the controllers (of this kind) of an object (pod, replica set, …) before and after the change.
  void mark_owner(std::string_view kind, const Object& before, const Object& after);

  Cluster& cluster_;

 private:
  std::set<ObjectKey> dirty_;
  Timers<ObjectKey> later_;
};

inline constexpr Duration kRetryAfter = 1s;

// Returns a pod from its template, controlled by `owner`. It has no name: the caller sets name or generateName.
boost::json::value pod_from_template(const boost::json::value& owner, TypeMeta type,
                                     const boost::json::value& pod_template);
// Returns at most ten characters, equal for equal templates. `salt` changes a hash whose name is taken.
std::string template_hash(const boost::json::value& pod_template, int64_t salt);
// Creates a pod and records SuccessfulCreate or FailedCreate on its owner.
Result<Object> create_pod(const Cluster& cluster, const boost::json::value& owner, boost::json::value pod,
                          std::string_view component);
// Deletes a pod and records SuccessfulDelete on its owner. Its uid is a precondition. A missing pod is no error.
Status delete_pod(const Cluster& cluster, const boost::json::value& owner, const boost::json::value& pod,
                  std::string_view component);
// Changes the status and writes it if it differs.
Status write_status(const Cluster& cluster, const Resource& resource, const Object& object,
                    const std::function<void(boost::json::value&)>& change);

std::unique_ptr<Controller> make_deployment_controller(Cluster& cluster);
std::unique_ptr<Controller> make_replica_set_controller(Cluster& cluster);
std::unique_ptr<Controller> make_daemon_set_controller(Cluster& cluster);
std::unique_ptr<Controller> make_stateful_set_controller(Cluster& cluster);
std::unique_ptr<Controller> make_job_controller(Cluster& cluster);
std::unique_ptr<Controller> make_budget_controller(Cluster& cluster);
std::unique_ptr<Controller> make_node_lifecycle_controller(Cluster& cluster);
std::unique_ptr<Controller> make_pod_collector(Cluster& cluster);
std::unique_ptr<Controller> make_volume_binder(Cluster& cluster);

}  // namespace tenon::kubesim
