// Volumes that are still attached to a Node after its pods have ended. Pure.
// parity: karpenter pkg/controllers/node/termination/controller.go awaitVolumeDetachment
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "controllers/termination/decide.h"

namespace tenon::controllers::termination {

// Returns the names of the attachments that the Node waits for, sorted. Leaves out attachments of pods that no drain
// waits for, and attachments that name no PersistentVolume.
std::vector<std::string> attached_volumes(const View& view);

// "a, b and 2 other(s)"
std::string name_some(const std::vector<std::string>& names);

}  // namespace tenon::controllers::termination
