// Reads the ConfigMap tenon-freeze. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>

#include "base/result.h"
#include "model/freeze.h"

namespace tenon::kube::codec {

// The keys of `data`: "disruption" and "launches" with the value "true" or "false", and "reason" with any text. An
// absent key is "false" if the other one is set. A ConfigMap without both keys, with another key, or with another value
// stops both: the caller must not continue because of a typing error. Returns no error, and never writes to `fault`,
// since a document that cannot be read must stop both, too; Freeze::fault names the cause.
Result<model::Freeze> decode_freeze(const boost::json::value& document, std::string* fault = nullptr);

}  // namespace tenon::kube::codec
