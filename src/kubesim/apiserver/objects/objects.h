// Reads and writes of objects, for HTTP and for the in-process Api: admission, defaults, validation, generation,
// finalizers, deletion. Objects have their stored version; the caller converts.
// Thread rule: any thread; a write blocks while a webhook answers, no other call does.
// removal.cc defines remove().
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <functional>
#include <string>
#include <vector>

#include "kubesim/apiserver/base/error.h"
#include "kubesim/apiserver/base/write_context.h"
#include "kubesim/apiserver/kinds/registry.h"
#include "kubesim/apiserver/webhooks/admission_webhooks.h"
#include "kubesim/store/store.h"
#include "runtime/runtime.h"

namespace tenon::kubesim::apiserver {

struct Target {
  InfoPtr info;
  std::string ns = {}, name = {};
  std::string subresource = {};
  StoreKey key() const { return {ns, name}; }
};

// Changes a copy of the object. Called again if another write came first.
using Change = std::function<Done(boost::json::value& object)>;

struct Removal {
  Object object;      // the last state of a removed object, else the current state
  bool gone = false;  // false: finalizers or a grace period keep the object
};

class Objects {
 public:
  Objects(runtime::Runtime& runtime, Store& store, RegistryHolder& registry, const AdmissionWebhooks& webhooks)
      : runtime_(runtime), store_(store), registry_(registry), webhooks_(webhooks) {}

  Answer<Object> get(const Target& target) const;
  // Creates an object. The name is in the object, or is generated from its generateName.
  Answer<Object> create(const Target& collection, boost::json::value object, const WriteContext& context);
  // Reads, changes and writes an object; an unchanged object is not written. With a subresource, only changes of its
  // part take effect.
  Answer<Object> modify(const Target& target, const Change& change, const WriteContext& context);
  // Replaces an object (PUT).
  Answer<Object> replace(const Target& target, boost::json::value object, const WriteContext& context);
  Answer<Removal> remove(const Target& target, const DeleteOptions& options, const WriteContext& context);

  Store& store() { return store_; }
  RegistryHolder& registry() { return registry_; }
  runtime::Runtime& runtime() { return runtime_; }

 private:
  Done admit_new(const Target& collection, boost::json::value& object, const WriteContext& context);
  Done admit_change(const Target& target, const boost::json::value& old, boost::json::value& next,
                    const WriteContext& context);
  // An object as it is in the store, and in the stored version of today: the same unless that version has changed.
  struct Before {
    Object raw, converted;
  };
  Answer<Object> publish(const Target& target, const Before& before, boost::json::value next,
                         const WriteContext& context);

  runtime::Runtime& runtime_;
  Store& store_;
  RegistryHolder& registry_;
  const AdmissionWebhooks& webhooks_;
};

}  // namespace tenon::kubesim::apiserver
