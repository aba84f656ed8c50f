// The subset of the Common Expression Language that CRD validation rules need: compile once, evaluate often.
//
//   DeclType pool = …;  // from the schema
//   auto rule = TRY(Program::compile("self.all(x, x.size() > 2)", {{"self", pool}, {"oldSelf", pool}}));
//   Budget budget(kMaxStepsPerCall);
//   Result<Value> result = rule->evaluate({TRY(to_cel(object, *pool)), …}, budget);
//
// Supported: all operators, ?:, in, list and map literals, has, all, exists, exists_one, filter, map, and the functions
// of functions.h. An error on one side of && or || is absorbed if the other side decides the result. Thread rule: any
// thread; a Program is immutable. Limits: the budget for the cost, kMaxDepth for the depth, kMaxTextBytes for strings.
// parity: github.com/google/cel-go v0.26 as k8s.io/apiserver 1.34 configures it, with its error texts where a user
// reads them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "schema/cel/parser.h"

namespace tenon::cel {

inline constexpr int64_t kMaxStepsPerCall = 1'000'000;     // Kubernetes' cost limit of one rule
inline constexpr int64_t kMaxStepsPerObject = 10'000'000;  // and of all rules of an object

class Program {
 public:
  // Errors: kInvalid, "<input>:1:5: undefined field 'foo'".
  static Result<std::shared_ptr<const Program>> compile(std::string_view text, std::vector<Variable> variables);

  // Whether the expression mentions the variable with this index.
  bool uses(size_t variable) const { return tree_.variable_used[variable]; }
  // The type of the result; null if it is unknown before evaluation.
  const DeclType* result_type() const { return tree_.root->type; }

  // values: one for each variable. Errors: kInvalid with cel-go's text; kThrottled if the budget is spent.
  Result<Value> evaluate(std::vector<Value> values, Budget& budget) const;

 private:
  Program() = default;
  std::vector<Variable> variables_;
  Tree tree_;
};

}  // namespace tenon::cel
