// SPDX-License-Identifier: Apache-2.0
#include "kube/codec/kwok.h"

#include "json/json.h"
#include "kube/codec/common.h"
#include "model/kwok.h"

namespace tenon::kube::codec {

Result<model::NodeClass> decode_kwok_class(const json::value& document, std::string* fault) {
  Problem problem(document, fault);
  const Field node_class(document, problem);
  model::NodeClass out;
  out.meta = read_meta(node_class["metadata"]);
  out.meta.name = std::string(model::kKwokClassPrefix) + out.meta.name;
  (void)node_class["spec"]["nodeRegistrationDelay"].duration();  // a class whose delay is invalid launches nothing
  out.conditions = read_conditions(node_class["status"]["conditions"]);
  return problem.take(std::move(out));
}

Result<Duration> kwok_registration_delay(const json::value& document) {
  Problem problem(document);
  const Duration delay = Field(document, problem)["spec"]["nodeRegistrationDelay"].duration();
  return problem.take(delay);
}

}  // namespace tenon::kube::codec
