// SPDX-License-Identifier: Apache-2.0
#include "aws/zonal_shift.h"

#include "aws/json_protocol.h"
#include "base/text.h"
#include "json/json.h"

namespace tenon::aws {

Result<ManagedResource> ZonalShift::get_managed_resource(const std::string& arn, const std::stop_token& stop) {
  const RestTarget target{kZonalShift, "GetManagedResource", "GET", "/managedresources/" + percent_encode(arn)};
  const json::value answer = TRY(call_rest(client_, target, stop));
  ManagedResource resource;
  resource.arn = json::string_at(answer, {"arn"});
  for (const auto& weight : json::object_at(answer, {"appliedWeights"})) {
    if (weight.value().is_number()) resource.applied_weights[weight.key()] = weight.value().to_number<double>();
  }
  return resource;
}

}  // namespace tenon::aws
