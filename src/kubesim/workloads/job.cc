// Jobs: run pods to completion, a limited number at a time, until enough have succeeded or too many have failed.
// parity: k8s.io/kubernetes pkg/controller/job, without indexes, pod failure policies and tracking finalizers: pods are
// counted while they exist, and the counts in the status never decrease.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "json/json.h"
#include "kubesim/workloads/controller.h"

namespace tenon::kubesim {
namespace {

constexpr std::string_view kJobController = "job-controller";

bool is_finished(const json::value& job) {
  return condition_is(job, "Complete", "True") || condition_is(job, "Failed", "True");
}

class JobController : public Controller {
 public:
  using Controller::Controller;

  void observe(const Resource& resource, const Object& before, const Object& after) override {
    if (resource == kJobs && after != nullptr) mark(key_of(*after));
    if (resource == kPods) mark_owner("Job", before, after);
  }

 private:
  struct Counts {
    std::vector<Object> active;
    int64_t succeeded = 0, failed = 0, ready = 0;
  };

  Status sync(const ObjectKey& key) override {
    const Object job = cluster_.view.get(kJobs, key);
    if (job == nullptr || is_deleting(*job)) return ok();
    if (is_finished(*job)) return expire(*job);
    Counts counts;
    for (const Object& pod : cluster_.view.controlled(kPods, uid_of(*job))) {
      const std::string_view phase = json::string_at(*pod, {"status", "phase"});
      if (phase == "Succeeded") ++counts.succeeded;
      if (phase == "Failed") ++counts.failed;
      if (!pod_is_active(*pod)) continue;
      counts.active.push_back(pod);
      if (pod_is_ready(*pod)) ++counts.ready;
    }
    counts.succeeded = std::max(counts.succeeded, json::int_at(*job, {"status", "succeeded"}));
    counts.failed = std::max(counts.failed, json::int_at(*job, {"status", "failed"}));
    const bool completions_given = json::find(*job, {"spec", "completions"}) != nullptr;
    const int64_t parallelism = json::int_at(*job, {"spec", "parallelism"}, 1);
    const int64_t completions = json::int_at(*job, {"spec", "completions"}, 1);
    const bool enough =
        completions_given ? counts.succeeded >= completions : counts.succeeded > 0 && counts.active.empty();
    if (enough)
      return finish(job, counts,
                    {"Complete", "True", "CompletionsReached", "Reached expected number of succeeded pods"});
    if (counts.failed > json::int_at(*job, {"spec", "backoffLimit"}, 6))
      return finish(job, counts,
                    {"Failed", "True", "BackoffLimitExceeded", "Job has reached the specified backoff limit"});
    int64_t wanted = completions_given ? std::min(parallelism, completions - counts.succeeded) : parallelism;
    if (!completions_given && counts.succeeded > 0) wanted = static_cast<int64_t>(counts.active.size());
    if (json::bool_at(*job, {"spec", "suspend"})) wanted = 0;
    TRY(scale(*job, counts, wanted));
    return report(job, counts);
  }

  Status scale(const json::value& job, const Counts& counts, int64_t wanted) {
    int64_t missing = wanted - static_cast<int64_t>(counts.active.size());
    for (; missing > 0; --missing) {
      json::value pod = pod_from_template(job, {"batch/v1", "Job"}, *json::find(job, {"spec", "template"}));
      json::ensure(pod, {"metadata", "generateName"}) = std::string(name_of(job)) + "-";
      for (const std::string_view prefix : {"batch.kubernetes.io/", ""}) {
        json::ensure(pod, {"metadata", "labels", std::string(prefix) + "job-name"}) = name_of(job);
        json::ensure(pod, {"metadata", "labels", std::string(prefix) + "controller-uid"}) = uid_of(job);
      }
      TRY(create_pod(cluster_, job, std::move(pod), kJobController));
    }
    for (auto at = counts.active.rbegin(); missing < 0; ++missing, ++at)
      TRY(delete_pod(cluster_, job, **at, kJobController));
    return ok();
  }

  Status report(const Object& job, const Counts& counts) {
    return write_status(cluster_, kJobs, job,
                        [&](json::value& target) { write_counts(target, counts, counts.active.size()); });
  }

  void write_counts(json::value& target, const Counts& counts, size_t active) const {
    json::object& status = status_of(target);
    if (!status.contains("startTime") && !json::bool_at(target, {"spec", "suspend"}))
      status["startTime"] = format_rfc3339(cluster_.now());
    set_count(target, "active", static_cast<int64_t>(active));
    set_count(target, "succeeded", counts.succeeded);
    set_count(target, "failed", counts.failed);
    set_count(target, "ready", active == 0 ? 0 : counts.ready);
  }

  Status finish(const Object& job, const Counts& counts, const Condition& condition) {
    for (const Object& pod : counts.active) TRY(delete_pod(cluster_, *job, *pod, kJobController));
    TRY(write_status(cluster_, kJobs, job, [&](json::value& target) {
      write_counts(target, counts, 0);
      const bool complete = condition.type == "Complete";
      set_condition(target,
                    {complete ? "SuccessCriteriaMet" : "FailureTarget", "True", condition.reason, condition.message},
                    cluster_.now());
      set_condition(target, condition, cluster_.now());
      if (complete) status_of(target)["completionTime"] = format_rfc3339(cluster_.now());
    }));
    cluster_.api.record_event(*job, condition.type == "Complete" ? "Normal" : "Warning",
                              condition.type == "Complete" ? "Completed" : condition.reason,
                              condition.type == "Complete" ? "Job completed" : condition.message, kJobController);
    return ok();
  }

  // Applies ttlSecondsAfterFinished.
  Status expire(const json::value& job) {
    const json::value* ttl = json::find(job, {"spec", "ttlSecondsAfterFinished"});
    if (ttl == nullptr || !ttl->is_number()) return ok();
    const json::value* end = find_condition(job, condition_is(job, "Complete", "True") ? "Complete" : "Failed");
    const Instant due = time_at(*end, {"lastTransitionTime"}) +
                        std::chrono::seconds(json::int_at(job, {"spec", "ttlSecondsAfterFinished"}));
    if (due > cluster_.now()) {
      mark_at(due, key_of(job));
      return ok();
    }
    DeleteOptions options;
    options.propagation_policy = "Background";
    (void)cluster_.api.remove(kJobs, namespace_of(job), name_of(job), options);  // without effect if already deleted
    return ok();
  }
};

}  // namespace

std::unique_ptr<Controller> make_job_controller(Cluster& cluster) { return std::make_unique<JobController>(cluster); }

}  // namespace tenon::kubesim
