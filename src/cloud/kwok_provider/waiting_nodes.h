// Launched instances whose Nodes are created later, after spec.nodeRegistrationDelay of their class: it stands for the
// time that a machine takes to start. A restart of the process forgets them; their claims then end as those of any
// instance that never joins.
// Thread rule: any thread. One task creates the Nodes; it runs from the first add() to the destruction.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cloud/instance.h"
#include "kube/client.h"
#include "log/log.h"
#include "runtime/runtime.h"

namespace tenon::cloud {

class WaitingNodes {
 public:
  using Document = std::shared_ptr<const boost::json::value>;

  // Borrows runtime and client.
  WaitingNodes(runtime::Runtime& runtime, kube::Client& client, tenon::log::Logger log);
  ~WaitingNodes();

  // Creates `node` at `due`; tries again after kRetry while the API server does not accept it.
  void add(Instance instance, Document node, Instant due);
  std::optional<Instance> find(const std::string& provider_id) const;
  std::vector<Instance> all() const;
  // Returns false if the instance does not wait (any more). Otherwise no Node of it remains.
  bool remove(const std::string& provider_id);

  static constexpr Duration kRetry = 1s;

 private:
  struct Entry {
    Instance instance;
    Document node;
    Instant due;
  };
  void run(const std::stop_token& stop);
  std::map<std::string, Entry> due_by(Instant now) const;
  Instant next_due() const;
  void create(const std::string& provider_id, const Entry& entry, const std::stop_token& stop);

  runtime::Runtime& runtime_;
  kube::Client& client_;
  const tenon::log::Logger log_;
  const std::unique_ptr<runtime::Event> changed_;
  mutable std::mutex mutex_;
  std::map<std::string, Entry> entries_;  // by provider id
  std::unique_ptr<runtime::Task> task_;   // last: it uses the rest
};

}  // namespace tenon::cloud
