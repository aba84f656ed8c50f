// FreezeWatch: what the ConfigMap tenon-freeze stops now. It watches this one object, and it fails closed: while the
// object is not known, everything that it could stop is stopped.
// Thread rule: every call may come from any thread, except those that say otherwise; none blocks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "kube/informer.h"
#include "model/freeze.h"
#include "runtime/runtime.h"

namespace tenon::state {

// While the watch is interrupted for this long, the object counts as unknown. A stop must hold within 5 s; the first
// retry of a watch follows within 1.6 s, so that a watch that the server ends does not stop anything.
inline constexpr Duration kFreezeBlindAfter = 3s;

// The actions that are stopped.
struct Frozen {
  bool disruption = false, launches = false;
  bool unknown = false;  // the object is not known: both are stopped
  std::string by;        // "by ConfigMap karpenter/tenon-freeze (incident 7)"; empty: nothing is stopped
  friend bool operator==(const Frozen&, const Frozen&) = default;
};

class FreezeWatch {
 public:
  // Borrows its arguments. `ns`: the namespace of the controller.
  FreezeWatch(runtime::Runtime& runtime, kube::Client& client, std::string ns);
  // From the owner's thread.
  void start();
  void stop();

  Frozen frozen() const;
  // The object as it is cached; null: there is none, or it is not known yet.
  std::shared_ptr<const model::Freeze> object() const;
  // True once the object was listed for the first time.
  bool synced() const { return informer_.synced(); }
  // Why frozen() is unknown, as a line of /readyz; empty: it is known.
  std::string not_ready() const;
  // The handler is called after a change of the object, on the watch's thread; it must not block. Register it before
  // start(). It is not called when frozen() becomes unknown or known.
  void on_change(std::function<void()> handler);

 private:
  bool unknown() const;

  runtime::Runtime& runtime_;
  const std::string ns_;
  kube::Informer<model::Freeze> informer_;
};

}  // namespace tenon::state
