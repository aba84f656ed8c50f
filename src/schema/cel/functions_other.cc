// Functions on Kubernetes quantities and on optional values (oldSelf of a rule with optionalOldSelf).
// SPDX-License-Identifier: Apache-2.0
#include "schema/cel/functions.h"

namespace tenon::cel {
namespace {

Result<model::Quantity> quantity_at(const Call& call, size_t arg) {
  const auto* q = call.args[arg].get<model::Quantity>();
  if (!q) return no_such_overload();
  return *q;
}

Result<Value> make_quantity(const Call& call) {
  const auto* s = call.args[0].get<std::string>();
  if (!s) return no_such_overload();
  const Result<model::Quantity> q = model::parse_quantity(*s);
  if (!q)
    return eval_error("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  return Value(*q);
}

Result<Value> is_quantity(const Call& call) {
  const auto* s = call.args[0].get<std::string>();
  if (!s) return no_such_overload();
  return Value(model::parse_quantity(*s).has_value());
}

Result<int64_t> order(const Call& call) {
  const model::Quantity a = TRY(quantity_at(call, 0));
  const model::Quantity b = TRY(quantity_at(call, 1));
  return int64_t{a < b ? -1 : b < a ? 1 : 0};
}
Result<Value> compare_to(const Call& call) { return Value(TRY(order(call))); }
Result<Value> is_less(const Call& call) { return Value(TRY(order(call)) < 0); }
Result<Value> is_greater(const Call& call) { return Value(TRY(order(call)) > 0); }

Result<Value> sign(const Call& call) {
  const model::Quantity q = TRY(quantity_at(call, 0));
  return Value(int64_t{q.negative() ? -1 : q == model::Quantity() ? 0 : 1});
}
Result<Value> is_integer(const Call& call) {
  const model::Quantity q = TRY(quantity_at(call, 0));
  return Value(q.floor_units() == q.ceil_units());
}
Result<Value> as_integer(const Call& call) {
  const model::Quantity q = TRY(quantity_at(call, 0));
  if (q.floor_units() != q.ceil_units()) return eval_error("cannot convert value to integer");
  return Value(q.floor_units());
}

const Value* held(const Call& call) {
  const auto* optional = call.args[0].get<Optional>();
  return optional ? optional->value.get() : nullptr;
}
bool is_optional(const Call& call) { return call.args[0].get<Optional>() != nullptr; }

Result<Value> optional_of(const Call& call) { return Value(Optional{std::make_shared<const Value>(call.args[0])}); }
Result<Value> optional_none(const Call&) { return Value(Optional{}); }
Result<Value> has_value(const Call& call) {
  if (!is_optional(call)) return no_such_overload();
  return Value(held(call) != nullptr);
}
Result<Value> value_of(const Call& call) {
  if (!is_optional(call)) return no_such_overload();
  if (!held(call)) return eval_error("optional.none() dereference");
  return *held(call);
}
Result<Value> or_value(const Call& call) {
  if (!is_optional(call)) return no_such_overload();
  return held(call) ? *held(call) : call.args[1];
}
Result<Value> or_optional(const Call& call) {
  if (!is_optional(call)) return no_such_overload();
  return held(call) ? call.args[0] : call.args[1];
}

constexpr Function kOtherFunctions[] = {
    {"quantity", false, 1, 1, make_quantity},  {"isQuantity", false, 1, 1, is_quantity},
    {"compareTo", true, 2, 2, compare_to},     {"isLessThan", true, 2, 2, is_less},
    {"isGreaterThan", true, 2, 2, is_greater}, {"sign", true, 1, 1, sign},
    {"isInteger", true, 1, 1, is_integer},     {"asInteger", true, 1, 1, as_integer},
    {"optional.of", false, 1, 1, optional_of}, {"optional.none", false, 0, 0, optional_none},
    {"hasValue", true, 1, 1, has_value},       {"value", true, 1, 1, value_of},
    {"orValue", true, 2, 2, or_value},         {"or", true, 2, 2, or_optional},
};

}  // namespace

std::span<const Function> other_functions() { return kOtherFunctions; }

}  // namespace tenon::cel
