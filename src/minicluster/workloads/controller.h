// One workload controller: it hears of every change, remembers which objects need a look, and brings each of them a
// step nearer to what its spec asks for. All controllers share one actor's thread and one View.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <set>
#include <string>

#include "minicluster/actors/timers.h"
#include "minicluster/actors/write.h"
#include "minicluster/workloads/view.h"

namespace tenon::minicluster {

struct WorkloadOptions {
  Duration orphaned_pods = 20s;             // from a Node's end to that of the pods which were bound to it
  std::string default_zone = "us-east-1a";  // of a volume that is made before any pod uses it
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

  // before is null for a new object, after for one that has gone.
  virtual void observe(const Resource& resource, const Object& before, const Object& after) = 0;
  // Looks at what is due; true if there was anything.
  bool work();
  Instant next_due() const { return later_.next(); }

 protected:
  // The object may have gone. An error means: again in kRetryAfter.
  virtual Status sync(const ObjectKey& key) = 0;
  void mark(ObjectKey key) { dirty_.insert(std::move(key)); }
  void mark_at(Instant when, ObjectKey key) { later_.add(when, std::move(key)); }
  // Marks the controllers (of this kind) of a pod, replica set, … before and after.
  void mark_owner(std::string_view kind, const Object& before, const Object& after);

  Cluster& cluster_;

 private:
  std::set<ObjectKey> dirty_;
  Timers<ObjectKey> later_;
};

inline constexpr Duration kRetryAfter = 1s;

// A pod as its template says, controlled by `owner`. Without a name: the caller sets name or generateName.
boost::json::value pod_from_template(const boost::json::value& owner, TypeMeta type,
                                     const boost::json::value& pod_template);
// Ten characters at most, the same for equal templates. `salt` avoids the names that are taken.
std::string template_hash(const boost::json::value& pod_template, int64_t salt);
// Creates a pod and records SuccessfulCreate or FailedCreate on its owner.
Result<Object> create_pod(const Cluster& cluster, const boost::json::value& owner, boost::json::value pod,
                          std::string_view component);
// Deletes a pod (its uid is a precondition; one that has gone is fine) and records SuccessfulDelete on its owner.
Status delete_pod(const Cluster& cluster, const boost::json::value& owner, const boost::json::value& pod,
                  std::string_view component);
// Writes status fields; false from `change` writes nothing.
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

}  // namespace tenon::minicluster
