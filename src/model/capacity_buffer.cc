// SPDX-License-Identifier: Apache-2.0
#include "model/capacity_buffer.h"

namespace tenon::model {

Status validate(const CapacityBuffer& buffer) {
  const auto wrong = [](std::string why) -> Status { return fail(Code::kInvalid, std::move(why)); };
  if (buffer.strategy != kActiveCapacity)
    return wrong("spec.provisioningStrategy: \"" + buffer.strategy + "\" is not " + std::string(kActiveCapacity));
  if (!buffer.pod_template.empty() && !buffer.scalable_name.empty())
    return wrong("spec: podTemplateRef and scalableRef exclude each other");
  if (buffer.pod_template.empty() && buffer.scalable_name.empty())
    return wrong("Neither podTemplateRef nor scalableRef is set");
  if (!buffer.pod_template.empty() && !buffer.replicas && !buffer.limits)
    return wrong("spec: podTemplateRef requires replicas or limits");
  if (buffer.replicas.value_or(0) < 0) return wrong("spec.replicas: must not be negative");
  if (buffer.percentage.value_or(0) < 0) return wrong("spec.percentage: must not be negative");
  if (buffer.limits && buffer.limits->any_negative()) return wrong("spec.limits: must not be negative");
  return ok();
}

}  // namespace tenon::model
