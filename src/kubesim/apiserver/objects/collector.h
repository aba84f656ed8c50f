// The background work of the API server: garbage collection by owner references, deletion of the content of terminating
// namespaces and of the instances of deleted CustomResourceDefinitions, and the default service account and the config
// map kube-root-ca.crt of each namespace. One actor.
// parity: pkg/controller/{garbagecollector,namespace,serviceaccount},
// k8s.io/apiextensions-apiserver/pkg/controller/finalizer
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "kubesim/apiserver/objects/objects.h"

namespace tenon::kubesim::apiserver {

class Collector {
 public:
  // ca_pem: content of the config map kube-root-ca.crt; empty: no config map.
  Collector(Objects& objects, std::string ca_pem);
  ~Collector();
  // Queues the work that a change causes. Called by the store's listener, with its arguments.
  void enqueue(const Resource& resource, const StoreKey& key, const Object& before, const Object& after);
  // Starts the actor.
  void start();

 private:
  struct Work {
    enum class Kind { kOrphansOf, kOwnersOf, kFinish, kNamespace, kDefinition };
    Kind kind = Kind::kOrphansOf;
    std::string uid = {};  // only for kOrphansOf
    Store::Place place = {};
    friend auto operator<=>(const Work&, const Work&) = default;
  };
  void add(Work work);
  void add_for_change(const Store::Place& place, const Object& before, const boost::json::value& after);
  void add_for_removal(const Store::Place& place, const boost::json::value& before);
  void run(const std::stop_token& stop);
  void perform(const Work& work);

  void check_owners(const Store::Place& place);
  void finish_deletion(const Store::Place& place);
  void orphan_dependents(const boost::json::value& owner);
  void tend_namespace(const std::string& name);
  void create_namespace_content(const std::string& name);
  void tend_definition(const Store::Place& place);
  void remove(const Store::Place& place, const boost::json::value& object, std::string_view policy);
  Target target(const Store::Place& place, std::string subresource = {}) const;

  Objects& objects_;
  const std::string ca_pem_;
  std::unique_ptr<runtime::Event> wake_;
  std::mutex mutex_;
  std::set<Work> work_;
  std::unique_ptr<runtime::Task> task_;
};

}  // namespace tenon::kubesim::apiserver
