// A Pratt parser for CEL. It resolves names, expands macros and checks the types that the schema declares.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "schema/cel/ast.h"

namespace tenon::cel {

inline constexpr size_t kMaxExpressionBytes = 64 << 10;  // Karpenter's longest rule has 2 KiB
inline constexpr int kMaxDepth = 250;                    // depth of the tree; limits the stack

struct Variable {
  std::string name;
  std::shared_ptr<const DeclType> type;
};

struct Tree {
  NodePtr root;
  size_t slots = 0;                 // the variables first, in their order, then the variables of comprehensions
  std::vector<bool> variable_used;  // by variable
};

// The variables' types must outlive the tree. Errors: kInvalid, "<input>:1:5: undefined field 'foo'".
Result<Tree> parse(std::string_view text, std::span<const Variable> variables);

}  // namespace tenon::cel
