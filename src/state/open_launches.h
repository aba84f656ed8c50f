// NodeClaims whose launch is open, that is, whose instance is unknown. Decisions continue meanwhile, so each claim
// counts as planned: against its NodePool's limits, and as room for exactly the pods that it was created for. An
// annotation lists these pods from the claim's creation on, so that a process that starts after a crash reads the same.
// Pure.
// Deviates from karpenter on purpose: its cluster state is not synced while a claim lacks its provider id, so that one
// NodePool whose launches fail blocks all others (pkg/controllers/state/cluster.go Synced).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/node_claim.h"
#include "scheduling/input/snapshot.h"

namespace tenon::state {

// On a NodeClaim until it is launched: "namespace/name" of the pods that it was created for, separated by commas.
inline constexpr std::string_view kAnnotationPods = "tenon.dev/pods";
// The note lists as many leading pods as fit into this limit. The remaining pods are scheduled again, within the
// claim's requests. An API server accepts 256 KiB of annotations.
inline constexpr size_t kMaxPodsNoteBytes = size_t{128} << 10;

// Writes the note; `pods`: keys.
void note_pods(const std::vector<std::string>& pods, model::NodeClaim& claim);

// Gives each claim without a provider id its expected labels, capacity and allocatable. Moves the pods noted on it from
// the pending ones, or from nodes that are being deleted, to its view.
void expect_open_launches(scheduling::Snapshot& snapshot);

}  // namespace tenon::state
