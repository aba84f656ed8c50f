// The reference page of all fields of our CustomResourceDefinitions, docs/reference/api.md, as deploy/crds gives it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"

namespace tenon::house {

// Returns the page as Markdown: a section for each kind and version with a row for each field.
// Errors: a CRD that does not parse.
Result<std::string> api_reference();

}  // namespace tenon::house
