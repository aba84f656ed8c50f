// The functions of our CEL subset: the standard ones, and Kubernetes' additions for strings, regular expressions,
// lists, sets and quantities. Not supported: URLs, IP addresses, CIDRs, semantic versions, format(), comprehensions of
// two variables.
//
// parity: k8s.io/apiserver pkg/cel/environment/base.go (1.34), github.com/google/cel-go v0.26 ext/strings.go
// By kind of function: functions_convert.cc, functions_list.cc, functions_text.cc, functions_time.cc,
// functions_other.cc.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <re2/re2.h>

#include <span>
#include <string_view>

#include "schema/cel/value.h"

namespace tenon::cel {

inline constexpr size_t kMaxTextBytes = 3 << 20;  // of one string that an expression builds; the size of a request

struct Call {
  std::string_view name;
  std::span<const Value> args;  // of a method, args[0] is the receiver
  Budget& budget;
  const re2::RE2* pattern;  // compiled by the parser if the pattern is a literal; else null
};

struct Function {
  std::string_view name;  // "size", "sets.contains"
  bool method;            // called as receiver.name(…)
  size_t min_args;        // the receiver counts
  size_t max_args;
  Result<Value> (*run)(const Call& call);  // checks the argument types itself; errors: kInvalid
  int pattern_arg = -1;                    // the argument that is a regular expression
};

// Returns null if no function has this name, form and number of arguments.
const Function* find_function(std::string_view name, bool method, size_t args);
// Whether any function has this name, in either form.
bool function_exists(std::string_view name);

std::span<const Function> conversion_functions();
std::span<const Function> text_functions();
std::span<const Function> time_functions();
std::span<const Function> list_functions();
std::span<const Function> other_functions();

// The list functions indexOf, lastIndexOf and size call these for strings.
Result<Value> text_index_of(const Call& call);
Result<Value> text_last_index_of(const Call& call);
int64_t text_size(std::string_view text);  // code points

// Charges the cost of reading `bytes` bytes of text. Errors: the budget's.
Status spend_text(Budget& budget, size_t bytes);

}  // namespace tenon::cel
