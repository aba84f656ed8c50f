// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/base/conditions.h"

#include "json/json.h"

namespace tenon::kubesim::apiserver {

bool condition_true(const boost::json::value& object, std::string_view type) {
  for (const boost::json::value& condition : json::array_at(object, {"status", "conditions"})) {
    if (json::string_at(condition, {"type"}) == type) return json::string_at(condition, {"status"}) == "True";
  }
  return false;
}

}  // namespace tenon::kubesim::apiserver
