// Reads KWOKNodeClasses (karpenter.kwok.sh/v1alpha1) as a NodeClass of the model with the key "kwoknodeclass/NAME"
// (model/kwok.h). Decisions read only metadata and conditions of it, launches also the delay (cloud/kwok_provider).
// Pure. Errors and `fault`: as in codec.h. parity: karpenter kwok/apis/v1alpha1/kwoknodeclass.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>

#include "base/instant.h"
#include "base/result.h"
#include "model/node_class.h"

namespace tenon::kube::codec {

Result<model::NodeClass> decode_kwok_class(const boost::json::value& document, std::string* fault = nullptr);
// Returns spec.nodeRegistrationDelay; zero without it. Errors: kInvalid, with the path of the field.
Result<Duration> kwok_registration_delay(const boost::json::value& document);

}  // namespace tenon::kube::codec
