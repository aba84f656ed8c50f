// SPDX-License-Identifier: Apache-2.0
#include "kubesim/actors/inbox.h"

namespace tenon::kubesim {

Inbox::Inbox(runtime::Runtime& runtime, Api& api, const std::vector<Resource>& resources)
    : event_(runtime.make_event()) {
  for (const Resource& resource : resources) {
    watches_.push_back(api.watch(resource));
    api.subscribe(resource, event_);
  }
}

}  // namespace tenon::kubesim
