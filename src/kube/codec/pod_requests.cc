// SPDX-License-Identifier: Apache-2.0
#include "kube/codec/pod_requests.h"

#include <map>

#include "kube/codec/common.h"

namespace tenon::kube::codec {
namespace {

using model::Resources;

// The only resources that a pod's "spec.resources" may contain.
bool is_pod_level(std::string_view name) {
  return name == model::kCpu || name == model::kMemory || name.starts_with("hugepages-");
}

struct Amounts {
  Resources requests, limits;
};

class Reader {
 public:
  Reader(const Field& spec, const Field& status) : spec_(spec) {
    for (const std::string_view list : {"containerStatuses", "initContainerStatuses"}) {
      for (const Field& s : status[list].items()) statuses_.emplace(s["name"].text(), s);
    }
    // A resize that can never be granted: the pod keeps its actual resources.
    if (status["resize"].text() == "Infeasible") infeasible_ = true;
    for (const Field& c : status["conditions"].items()) {
      if (c["type"].text() == "PodResizePending" && c["reason"].text() == "Infeasible") infeasible_ = true;
    }
  }

  PodAmounts read() {
    Amounts sum;
    for (const Field& container : spec_["containers"].items()) add(sum, read_container(container));
    // Sidecars (init containers that keep running) add to the containers; a plain init container runs beside the
    // sidecars that were started before it.
    Amounts sidecars, peak;
    for (const Field& container : spec_["initContainers"].items()) {
      Amounts running = read_container(container);
      if (container["restartPolicy"].text() == "Always") {
        add(sum, running);
        add(sidecars, running);
        running = sidecars;
      } else {
        add(running, sidecars);
      }
      peak = {Resources::max(peak.requests, running.requests), Resources::max(peak.limits, running.limits)};
    }
    sum = {Resources::max(sum.requests, peak.requests), Resources::max(sum.limits, peak.limits)};
    apply_pod_level(sum);
    const Resources overhead = amounts(spec_["overhead"]);
    sum.requests += overhead;
    for (const auto& [name, amount] : overhead.entries()) {
      if (sum.limits.get(name) != 0) sum.limits.add(name, amount);
    }
    sum.requests.set(model::kPods, 1);
    return {std::move(sum.requests), std::move(sum.limits), std::move(negative_)};
  }

 private:
  static void add(Amounts& to, const Amounts& more) {
    to.requests += more.requests;
    to.limits += more.limits;
  }

  Resources amounts(const Field& map) {
    if (negative_.empty()) {
      for (const auto& [name, amount] : map.members()) {
        if (amount.quantity().negative()) {
          negative_ = amount.path() + ": " + amount.text_or_number() + " is negative";
          break;
        }
      }
    }
    return read_resources(map, Round::kUp);
  }

  Amounts read_container(const Field& container) {
    Amounts out{amounts(container["resources"]["requests"]), amounts(container["resources"]["limits"])};
    for (const auto& [name, amount] : out.limits.entries()) {
      if (!out.requests.has(name)) out.requests.set(name, amount);
    }
    const auto status = statuses_.find(container["name"].text());
    if (status != statuses_.end()) {
      const Resources actual = Resources::max(amounts(status->second["allocatedResources"]),
                                              amounts(status->second["resources"]["requests"]));
      if (!actual.empty()) out.requests = infeasible_ ? actual : Resources::max(out.requests, actual);
    }
    return out;
  }

  // Pod-level amounts replace the sum. A pod-level limit becomes the request if neither a container nor the pod has
  // one.
  void apply_pod_level(Amounts& sum) {
    const Field resources = spec_["resources"];
    if (!resources.present()) return;
    const Resources requests = amounts(resources["requests"]);
    const Resources limits = amounts(resources["limits"]);
    for (const auto& [name, amount] : limits.entries()) {
      if (!is_pod_level(name)) continue;
      sum.limits.set(name, amount);
      if (!sum.requests.has(name)) sum.requests.set(name, amount);
    }
    for (const auto& [name, amount] : requests.entries()) {
      if (is_pod_level(name)) sum.requests.set(name, amount);
    }
  }

  const Field spec_;
  std::map<std::string, Field> statuses_;
  bool infeasible_ = false;
  std::string negative_;
};

}  // namespace

PodAmounts read_pod_amounts(const Field& spec, const Field& status) { return Reader(spec, status).read(); }

}  // namespace tenon::kube::codec
