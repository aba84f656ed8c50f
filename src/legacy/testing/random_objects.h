// Random objects of v0.27, for properties of convert(). Each text that a user could choose is drawn once, so that a
// test can look for it in the output.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <vector>

#include "base/prng.h"

namespace tenon::legacy::testing {

// Returns valid documents: one to three Provisioners, the AWSNodeTemplates that they refer to, and sometimes the
// ConfigMap of the settings.
std::vector<boost::json::value> random_objects(Prng& prng);

// Makes one field of the documents invalid. Returns the path of the field, or of the one that contains it.
std::string spoil(std::vector<boost::json::value>& documents, Prng& prng);

}  // namespace tenon::legacy::testing
