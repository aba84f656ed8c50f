// Objects of another provider in the same cluster: a NodePool, a NodeClaim with its Node and a pod, and a NodeClaim
// without a Node. Their names begin with kForeign (storm/truth.h). Thread rule: the running actor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/prng.h"
#include "kubesim/api.h"

namespace tenon::storm {

void create_foreign_objects(kubesim::Api& api);
// Changes the NodePool's template.
void edit_foreign_pool(kubesim::Api& api, Prng& prng);

}  // namespace tenon::storm
