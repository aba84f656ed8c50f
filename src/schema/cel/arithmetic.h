// The arithmetic operators. Operands of int, uint and double do not mix; overflow is an error.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "schema/cel/value.h"

namespace tenon::cel {

// Errors: "no such overload", "integer overflow", "division by zero", …
Result<Value> add(const Value& a, const Value& b, Budget& budget);  // also strings, bytes, lists, times
Result<Value> subtract(const Value& a, const Value& b);
Result<Value> multiply(const Value& a, const Value& b);
Result<Value> divide(const Value& a, const Value& b);
Result<Value> modulo(const Value& a, const Value& b);
Result<Value> negate(const Value& a);

}  // namespace tenon::cel
