// SPDX-License-Identifier: Apache-2.0
#include "cli/documents/kwok_types_option.h"

#include <iostream>

#include "cli/documents/plan_documents.h"
#include "cloud/kwok_provider/instance_types.h"

namespace tenon::cli {

Result<std::vector<model::InstanceType>> read_kwok_types(const std::string& path) {
  if (path.empty()) return cloud::default_kwok_types();
  const std::string text = TRY_IN("--instance-types-file-path", read_text(path, std::cin));
  return TRY_IN("--instance-types-file-path " + path, cloud::parse_kwok_types(text));
}

}  // namespace tenon::cli
