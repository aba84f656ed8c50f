// The YAML that Kubernetes' tools print, read fast: block mappings and sequences, plain and quoted scalars, literals,
// {} and [], in printable ASCII. What else a single value may be is read by parse_yaml(); what is not of that form is
// not taken, right or wrong.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "json/assembler.h"

namespace tenon::json {

// A document; its root is a mapping or a sequence. False: not taken, and `into` holds nothing of use.
bool read_yaml_block(std::string_view text, Assembler& into);
// The entry of a sequence in the root: "- a: 1\n  b: 2\n", indented as it is.
bool read_yaml_entry(std::string_view text, Assembler& into);

}  // namespace tenon::json
