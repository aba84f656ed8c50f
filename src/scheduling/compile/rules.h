// Rules of kube-scheduler that several parts of the compilation share. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/pod.h"
#include "model/requirement.h"

namespace tenon::scheduling {

// DaemonSet pods tolerate all PreferNoSchedule taints.
bool daemon_tolerates(const model::Pod& daemon, const std::vector<model::Taint>& taints);
bool ports_conflict(const std::vector<model::HostPort>& a, const std::vector<model::HostPort>& b);
// Returns true if a node with these labels satisfies them. Well-known labels are not assumed.
bool labels_satisfy(const model::StringMap& labels, const model::Requirements& requirements);

}  // namespace tenon::scheduling
