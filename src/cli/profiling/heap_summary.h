// What the memory of this process is used for, as text for people: the sums of the allocator, and how many objects the
// caches hold. It is no profile by call site: that would need another allocator, whose cost every run would bear.
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
