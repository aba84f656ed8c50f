// The files of deploy/ that follow from the table of options and from the chart's values.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tenon::cli::install::testing {

// Returns deploy/helm/tenon/files/settings.yaml: the names under settings and their variables.
std::string settings_file();
// Returns the chart's values with the part between the two marks made from the table of options.
std::string with_settings(const std::string& values);
// Returns the comment at the head of deploy/manifests/tenon.yaml.
std::string manifests_head();

}  // namespace tenon::cli::install::testing
