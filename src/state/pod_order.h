// The order of pods in snapshots and indexes: by key.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduling/input/snapshot.h"

namespace tenon::state {

// Compares the keys. Makes them only for pods of different namespaces: '/' sorts before some characters of a name.
inline bool before(const scheduling::PodPtr& a, const scheduling::PodPtr& b) {
  return a->meta.ns == b->meta.ns ? a->meta.name < b->meta.name : a->key() < b->key();
}

}  // namespace tenon::state
