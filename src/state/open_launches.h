// NodeClaims on their way to a usable node. Decisions continue meanwhile, so the pods that a claim was created for
// count as placed on it until its Node is initialized: a decision that packed them again would need more nodes than the
// first. An annotation lists these pods from the claim's creation on, so that a process that starts after a crash reads
// the same. While the launch is open, that is, while the instance is unknown, the claim counts as planned: against its
// NodePool's limits, and as room for exactly these pods. Pure.
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

// On a NodeClaim until its Node is initialized: "namespace/name" of the pods that it was created for, separated by
// commas.
inline constexpr std::string_view kAnnotationPods = "tenon.dev/pods";
// The note lists as many leading pods as fit into this limit. The remaining pods are scheduled again, within the
// claim's requests. An API server accepts 256 KiB of annotations.
inline constexpr size_t kMaxPodsNoteBytes = size_t{128} << 10;

// Writes the note; `pods`: keys.
void note_pods(const std::vector<std::string>& pods, model::NodeClaim& claim);

// Gives each claim without a provider id its expected labels, capacity and allocatable. Moves the pods noted on a claim
// without an initialized Node from the pending ones, or from nodes that are being deleted, to its view. Nominates nodes
// that were initialized some seconds ago: their pods are about to be bound.
void expect_open_launches(scheduling::Snapshot& snapshot);

}  // namespace tenon::state
