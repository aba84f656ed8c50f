// The tokens of a CEL expression.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "schema/cel/value.h"

namespace tenon::cel {

struct Token {
  enum class Kind { kEnd, kIdentifier, kLiteral, kSymbol };
  Kind kind = Kind::kEnd;
  size_t position = 0;    // byte offset
  std::string_view text;  // identifier or symbol: a view of the expression
  Value literal;          // numbers, strings, bytes; true, false and null are literals too
};

// The last token is kEnd. Errors: kInvalid, "<input>:1:5: …".
Result<std::vector<Token>> tokenize(std::string_view text);

// Returns kInvalid with the position as line and column (from 1, in bytes).
tl::unexpected<Error> syntax_error(std::string_view text, size_t position, std::string_view what);

}  // namespace tenon::cel
