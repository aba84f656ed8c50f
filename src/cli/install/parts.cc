// SPDX-License-Identifier: Apache-2.0
#include "cli/install/parts.h"

#include "cli/install/cloudformation.h"
#include "cli/install/iam.h"
#include "cli/install/manifests.h"

namespace tenon::cli::install {

std::span<const Part> parts() {
  static constexpr Part kParts[] = {
      {"iam", render_iam}, {"cloudformation", render_cloudformation}, {"manifests", render_manifests}};
  return kParts;
}

}  // namespace tenon::cli::install
