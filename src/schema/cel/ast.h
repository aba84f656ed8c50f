// The tree of a compiled CEL expression: names are resolved to slots and functions, and macros to comprehensions. Each
// node stores its type, if the type is known before evaluation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <re2/re2.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "schema/cel/decl.h"
#include "schema/cel/functions.h"
#include "schema/cel/value.h"

namespace tenon::cel {

enum class Op {
  kLiteral,
  kVariable,  // slot
  kSelect,    // args[0].name
  kHas,       // has(args[0].name)
  kIndex,     // args[0][args[1]]
  kList,
  kMap,  // key, value, key, value, …
  kNot,
  kNegate,
  kMultiply,
  kDivide,
  kModulo,
  kAdd,
  kSubtract,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kEqual,
  kNotEqual,
  kIn,
  kAnd,
  kOr,  // any number of args, as kAnd
  kTernary,
  kCall,  // function(args…); of a method, args[0] is the receiver
  kAll,
  kExists,
  kExistsOne,
  kFilter,
  kTransform,  // kAll to kTransform: args[0] is the range, args[1] the body; kTransform: args[2] an optional filter
};

struct Node {
  Op op = Op::kLiteral;
  size_t position = 0;
  int depth = 1;
  std::string name;
  Value literal;
  size_t slot = 0;  // variable, or the variable that a comprehension binds
  const Function* function = nullptr;
  std::shared_ptr<const re2::RE2> pattern;  // of a call whose pattern is a literal
  const DeclType* type = nullptr;           // null: unknown before evaluation
  std::vector<std::unique_ptr<Node>> args;
};
using NodePtr = std::unique_ptr<Node>;

}  // namespace tenon::cel
