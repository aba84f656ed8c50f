// A fast reader for the YAML that Kubernetes' tools print: block mappings and sequences, plain and quoted scalars,
// literals, {} and [], in printable ASCII. parse_yaml() reads other forms of single values. Other forms of the document
// are not accepted, whether valid or not.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "json/assembler.h"

namespace tenon::json {

// Reads a document whose root is a mapping or a sequence. False: not accepted, and the content of `into` is unusable.
bool read_yaml_block(std::string_view text, Assembler& into);
// Reads an entry of a sequence in the root: "- a: 1\n  b: 2\n", with its original indentation.
bool read_yaml_entry(std::string_view text, Assembler& into);

}  // namespace tenon::json
