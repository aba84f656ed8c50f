// The limits of the store, each with its unit and its reason.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace tenon::kubesim {

// Changes that the log of one resource keeps for watchers. A watcher that falls further behind gets 410 Gone and lists
// again. A burst of 10,000 pods, each created, bound and started, fits.
inline constexpr size_t kMaxLogEntries = 32'768;

}  // namespace tenon::kubesim
