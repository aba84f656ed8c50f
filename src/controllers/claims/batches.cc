// SPDX-License-Identifier: Apache-2.0
#include "controllers/claims/batches.h"

#include <algorithm>
#include <string>

#include "cloud/launch_batch.h"

namespace tenon::controllers::claims {
namespace {

constexpr size_t kOpenBatches = 16;  // that a claim is compared with: equal claims are adjacent in a solution

}  // namespace

void mark_batches(const std::vector<model::NodeClaim*>& claims, const std::string& pass) {
  std::vector<std::vector<size_t>> batches;
  for (size_t i = 0; i < claims.size(); ++i) {
    const size_t first = batches.size() > kOpenBatches ? batches.size() - kOpenBatches : 0;
    const auto open =
        std::find_if(batches.begin() + static_cast<std::ptrdiff_t>(first), batches.end(), [&](auto& batch) {
          return batch.size() < static_cast<size_t>(cloud::kMaxLaunchBatch) && *claims[batch.front()] == *claims[i];
        });
    if (open == batches.end()) {
      batches.push_back({i});
    } else {
      open->push_back(i);
    }
  }
  for (size_t number = 0; number < batches.size(); ++number) {
    const std::vector<size_t>& batch = batches[number];
    if (batch.size() < 2) continue;
    cloud::LaunchBatch mark{pass + "-" + std::to_string(number), 0, static_cast<int>(batch.size())};
    for (const size_t i : batch) {
      claims[i]->meta.annotations[std::string(cloud::kAnnotationLaunchBatch)] = cloud::format_launch_batch(mark);
      ++mark.index;
    }
  }
}

std::string pass_id(const std::string& who, Instant now) {
  return who + "-" + std::to_string(now.time_since_epoch().count());
}

}  // namespace tenon::controllers::claims
