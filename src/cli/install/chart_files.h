// The files of the chart that are compiled into the binary: its values, the roles and the webhooks of v0.27.
// Thread rule: any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string_view>
#include <vector>

namespace tenon::cli::install {

// Returns a file by its name without folder: values.yaml, rbac.yaml, v0.27.yaml. CHECKs that it exists.
std::string_view chart_file(std::string_view name);
// Returns the objects of such a file.
std::vector<boost::json::value> chart_objects(std::string_view name);

}  // namespace tenon::cli::install
