// Removes instance profiles that were created for a node class and that nothing uses any more: the role was changed, or
// the process crashed between IAM's answer and the write of the class's status.
// parity: instanceprofile.garbagecollection
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "controllers/context.h"
#include "controllers/controller.h"

namespace tenon::controllers::garbage_collection {

inline constexpr Duration kProfileInterval = 30min;

// Returns the names in the status of the classes and in the launch annotation of the claims. Pure.
std::set<std::string> profiles_in_use(const std::vector<std::shared_ptr<const model::NodeClass>>& classes,
                                      const std::vector<std::shared_ptr<const model::NodeClaim>>& claims);

class ProfileCollector final : public controllers::Controller {
 public:
  explicit ProfileCollector(Context& context) : context_(context) {}
  void start() override;
  void stop() override;

 private:
  Status collect(const std::stop_token& stop);

  Context& context_;
  std::unique_ptr<runtime::Task> loop_;
};

}  // namespace tenon::controllers::garbage_collection
