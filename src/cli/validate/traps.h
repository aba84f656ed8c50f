// Valid documents that do not do what their author expects: common mistakes, found by comparing the documents with the
// catalog of instance types, with each other and with a snapshot of the cluster. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <vector>

#include "cli/validate/finding.h"

namespace tenon::cli {

// Returns the warnings of each document, in the order of the documents.
std::vector<Findings> find_traps(const std::vector<const boost::json::value*>& documents,
                                 const std::vector<const boost::json::value*>& snapshot);

}  // namespace tenon::cli
