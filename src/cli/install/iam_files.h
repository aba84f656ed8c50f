// The files of deploy/iam, compiled in: IAM documents and event patterns with ${PLACEHOLDERS}.
// Thread rule: any thread; nothing changes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/install/settings.h"

namespace tenon::cli::install {

// Returns (name without ".json", text) in the order of names.
std::vector<std::pair<std::string_view, std::string_view>> iam_files();
// Returns the text of one file. CHECKs that there is one.
std::string_view iam_file(std::string_view name);

// The values behind the placeholders, under one name each in every file.
struct IamPlaceholders {
  std::string account, cluster_name, launch_template_id, namespace_name, node_role, oidc_provider, partition, queue,
      region, service_account, url_suffix;
  Values values() const;
};

}  // namespace tenon::cli::install
