// SPDX-License-Identifier: Apache-2.0
#include "cli/documents/scheduler_config_option.h"

#include <iostream>

#include "cli/documents/plan_documents.h"
#include "kube/codec/default_spread.h"

namespace tenon::cli {

Result<scheduling::SpreadConstraints> read_scheduler_config(const std::string& path) {
  const std::string text = TRY_IN("--scheduler-config", read_text(path, std::cin));
  return TRY_IN("--scheduler-config " + path, kube::codec::parse_scheduler_config(text));
}

}  // namespace tenon::cli
