// Formats the memory use of this process as text for people: the sums of the allocator, and the number of objects in
// the caches. It is no profile by call site, because such a profile needs another allocator, which slows down every
// run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tenon::cli {

// Names and numbers of objects: {"Pod", 5000}.
using ObjectCounts = std::vector<std::pair<std::string, size_t>>;

std::string heap_summary(const ObjectCounts& objects);

}  // namespace tenon::cli
