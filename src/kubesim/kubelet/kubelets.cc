// One actor plays all kubelets of the embedded cluster (minicluster/ creates it). Each round takes the instances that
// EC2 launched or ended (Machines::sync), then the changes of Nodes, then those of Pods, then what is due by the clock,
// and waits for the next change or timer. Nodes come before Pods, so that a pod never starts on a Node that is gone. If
// the API server rejects a write, Machines and PodRunner retry it at a later tick.
// SPDX-License-Identifier: Apache-2.0
#include "kubesim/kubelet/kubelets.h"

#include <algorithm>

#include "kubesim/actors/kinds.h"
#include "kubesim/kubelet/pod_runner.h"

namespace tenon::kubesim {

class Kubelets::Actor {
 public:
  Actor(runtime::Runtime& runtime, Api& api, awssim::FakeAws* aws, KubeletOptions options)
      : runtime_(runtime),
        options_(std::move(options)),
        inbox_(runtime, api, {kNodes, kPods}),
        machines_(runtime, api, aws, options_),
        pods_(runtime, api, machines_, options_) {}

  // Runs on an actor of its own: wakes run() when the cloud changes, because the inbox watches the API server only.
  void follow(runtime::Event& instances, const std::stop_token& stop) {
    uint64_t seen = 0;
    do {
      seen = instances.version();
      inbox_.event()->notify();
    } while (instances.wait(seen, kNever, stop) == runtime::Wake::kNotified);
  }

  void run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const uint64_t seen = inbox_.version();
      machines_.sync();
      for (const WatchEvent& event : inbox_.take(0)) {
        machines_.on_node(event);
        pods_.on_node(std::string(name_of(*event.object)));
      }
      for (const WatchEvent& event : inbox_.take(1)) pods_.on_pod(event);
      const Instant now = runtime_.now();
      machines_.tick(now);
      pods_.tick(now);
      const Instant next = std::min(machines_.next_due(), pods_.next_due());
      if (inbox_.wait(seen, next, stop) == runtime::Wake::kStopped) return;
    }
  }

 private:
  runtime::Runtime& runtime_;
  const KubeletOptions options_;
  Inbox inbox_;
  Machines machines_;
  PodRunner pods_;
};

Kubelets::Kubelets(runtime::Runtime& runtime, Api& api, awssim::FakeAws* aws, KubeletOptions options)
    : actor_(std::make_unique<Actor>(runtime, api, aws, std::move(options))),
      task_(runtime.spawn("kubelets", [this](const std::stop_token& stop) { actor_->run(stop); })) {
  if (aws == nullptr) return;
  instances_ = runtime.spawn("kubelets/instances",
                             [this, aws](const std::stop_token& stop) { actor_->follow(aws->changed(), stop); });
}

Kubelets::~Kubelets() {
  instances_.reset();
  task_.reset();
}

}  // namespace tenon::kubesim
