// NodeClaims whose instance is not known yet. Decisions go on while their launches are open, so each counts as what was
// planned for it: against its NodePool's limits, and as room for exactly the pods that it is for. Those pods are noted
// on the claim when it is created: a later process, after a crash, reads the same. Pure.
// Deviates from karpenter on purpose: its cluster state is not synced while a claim lacks its provider id, so that one
// NodePool whose launches fail holds up all others (pkg/controllers/state/cluster.go Synced).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/node_claim.h"
#include "scheduling/snapshot.h"

namespace tenon::state {

// On a NodeClaim until it is launched: "namespace/name" of the pods that it is for, separated by commas.
inline constexpr std::string_view kAnnotationPods = "tenon.dev/pods";
// Longer notes end at a pod before this; the pods after it are placed anew by what the claim requests. An API server
// accepts 256 KiB of annotations.
inline constexpr size_t kMaxPodsNoteBytes = size_t{128} << 10;

// `pods`: keys.
void note_pods(const std::vector<std::string>& pods, model::NodeClaim& claim);

// Gives each claim without a provider id its expected labels, capacity and allocatable, and moves the pods noted on it
// to it: from the pending ones, or from nodes that go.
void expect_open_launches(scheduling::Snapshot& snapshot);

}  // namespace tenon::state
