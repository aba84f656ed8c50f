// The part of the kubelet actor that creates the Nodes of instances and deletes them. Owned by the actor's thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>

#include "awssim/fake_aws.h"
#include "kubesim/actors/objects.h"
#include "kubesim/actors/timers.h"
#include "kubesim/api.h"
#include "kubesim/kubelet/options.h"

namespace tenon::kubesim {

class Machines {
 public:
  Machines(runtime::Runtime& runtime, Api& api, awssim::FakeAws* aws, const KubeletOptions& options);

  // Reads the instances of the cloud. Returns early if nothing changed since the last call.
  void sync();
  void on_node(const WatchEvent& event);
  void tick(Instant now);
  Instant next_due() const;

  // A kubelet runs on the node: it accepts and ends pods.
  bool alive(const std::string& node) const;
  // Alive, and its Node is Ready: it starts pods.
  bool ready(const std::string& node) const;
  std::string host_ip(const std::string& node) const;

 private:
  enum class Step { kJoin, kReady, kKwokReady, kRemove, kRenewLeases };
  struct Todo {
    Step step;
    std::string id;  // of the instance, or the Node's name for kKwokReady
  };
  struct Machine {
    std::string node;     // empty before it joins
    bool running = true;  // the operating system is up
  };
  struct Member {          // a Node with a simulated kubelet
    std::string instance;  // empty: kwok
    std::string host_ip;
    bool alive = true, ready = false;
  };
  void see(const awssim::FakeInstance& instance);
  void act(const Todo& todo);
  void join(const std::string& id);
  void become_ready(const std::string& node, bool kwok);
  void remove_node(const std::string& id);
  void renew_leases();
  void record(const boost::json::value& node, std::string_view reason, std::string_view message);

  runtime::Runtime& runtime_;
  Api& api_;
  awssim::FakeAws* aws_;
  const KubeletOptions& options_;
  uint64_t seen_ = 0;                        // version of aws_->changed() + 1 at the last sync(); 0: never
  std::map<std::string, Machine> machines_;  // by instance id
  std::map<std::string, Member> members_;    // by node name
  std::map<std::string, Object> nodes_;      // all Nodes
  std::set<std::string> leases_;             // nodes whose lease this actor created
  Timers<Todo> timers_;
};

}  // namespace tenon::kubesim
