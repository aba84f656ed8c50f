// SPDX-License-Identifier: Apache-2.0
#include "json/json.h"
#include "minicluster/apiserver/crd.h"
#include "minicluster/apiserver/strategy.h"

namespace tenon::minicluster::apiserver {

std::vector<Cause> validate(const ResourceInfo& info, const boost::json::value& object, const boost::json::value* old) {
  if (is_definition(info)) return validate_definition(object, old);
  if (!info.custom || !info.custom->schema) return {};
  return info.custom->schema->validate(object, old);
}

}  // namespace tenon::minicluster::apiserver
