// YAML as Kubernetes reads and writes it (sigs.k8s.io/yaml): the YAML 1.1 scalars of Go's yaml.v2 (yes/no/on/off are
// booleans, 0755 is octal, 1e3 is a number, dates are strings), merge keys, anchors; several documents in one text.
// yaml_writer.cc defines the writer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tenon::json {

// Returns every non-empty document, in order. Errors: kInvalid with line and column ("line 3, column 7: …").
Result<std::vector<boost::json::value>> parse_yaml(std::string_view text);
// Parses a piece of a text at nesting depth `depth`. Sets `anchors` if the piece defines or uses an anchor, because an
// anchor may refer to other pieces.
Result<std::vector<boost::json::value>> parse_yaml_piece(std::string_view text, size_t depth, bool& anchors);
// Returns one document in block style, with keys in the object's order. Quotes strings that would read as another type.
std::string to_yaml(const boost::json::value& v);

}  // namespace tenon::json
