// A transport to the API server that changes objects in the answers to reads: lists, single objects and watches.
// Thread rule: of http::Transport; `rewrite` may be called from any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "http/transport.h"

namespace tenon::faults {

struct ReadRewriter {
  std::set<std::string, std::less<>> resources;  // plurals: "nodepools"; the answers about others pass as they are
  // Changes an object in place. Returns false if the object is to be hidden.
  std::function<bool(std::string_view resource, boost::json::value& object)> rewrite;
};
std::unique_ptr<http::Transport> rewrite_reads(std::unique_ptr<http::Transport> inner, ReadRewriter rewriter);

}  // namespace tenon::faults
