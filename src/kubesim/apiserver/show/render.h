// Renders objects, lists and watch events in the form that a client requests. The objects have the version that the
// client requests (kinds/convert.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "kubesim/api.h"
#include "kubesim/apiserver/kinds/registry.h"
#include "kubesim/apiserver/show/wanted.h"

namespace tenon::kubesim::apiserver {

class Renderer {
 public:
  Renderer(const ResourceInfo& served, Wanted wanted, std::string include_object, Instant now);
  // The Content-Type header of the response.
  std::string_view content_type() const;
  std::string one(const boost::json::value& served) const;
  struct ListMeta {
    uint64_t resource_version = 0;
    std::string continue_token = {};
    size_t remaining = 0;
  };
  std::string list(const std::vector<Object>& items, const ListMeta& meta) const;
  // Returns one line of a watch. Only the first event contains the columns of a table.
  std::string event(std::string_view type, const boost::json::value& served, bool first) const;
  // annotations: of the bookmark's metadata, as JSON; may be empty.
  std::string bookmark(uint64_t resource_version, std::string_view annotations) const;

 private:
  std::string body(const boost::json::value& served) const;

  const ResourceInfo& info_;
  const Wanted wanted_;
  const std::string include_object_;
  const Instant now_;
};

}  // namespace tenon::kubesim::apiserver
