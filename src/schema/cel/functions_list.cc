// Functions on lists and sets, and functions on both lists and strings.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "schema/cel/arithmetic.h"
#include "schema/cel/functions.h"

namespace tenon::cel {
namespace {

Result<std::vector<Value>> items_of(const Call& call, size_t arg) {
  const auto* list = call.args[arg].get<ListPtr>();
  if (!list) return no_such_overload();
  TRY(call.budget.spend(static_cast<int64_t>((*list)->size())));
  std::vector<Value> out;
  for (size_t i = 0; i < (*list)->size(); ++i) out.push_back(TRY((*list)->at(i)));
  return out;
}

Result<bool> holds(const std::vector<Value>& items, const Value& wanted, Budget& budget) {
  for (const Value& item : items)
    if (TRY(equal(item, wanted, budget))) return true;
  return false;
}

Result<Value> size(const Call& call) {
  const Value& v = call.args[0];
  if (const auto* s = v.get<std::string>()) {
    TRY(spend_text(call.budget, s->size()));
    return Value(text_size(*s));
  }
  if (const auto* b = v.get<Bytes>()) return Value(static_cast<int64_t>(b->data.size()));
  if (const auto* l = v.get<ListPtr>()) return Value(static_cast<int64_t>((*l)->size()));
  if (const auto* m = v.get<MapPtr>()) return Value(static_cast<int64_t>((*m)->size()));
  return eval_error("no such overload: size");
}

Result<Value> index_of(const Call& call) {
  if (call.args[0].get<std::string>()) return text_index_of(call);
  const std::vector<Value> items = TRY(items_of(call, 0));
  if (call.args.size() > 2) return no_such_overload();
  for (size_t i = 0; i < items.size(); ++i)
    if (TRY(equal(items[i], call.args[1], call.budget))) return Value(static_cast<int64_t>(i));
  return Value(int64_t{-1});
}

Result<Value> last_index_of(const Call& call) {
  if (call.args[0].get<std::string>()) return text_last_index_of(call);
  const std::vector<Value> items = TRY(items_of(call, 0));
  if (call.args.size() > 2) return no_such_overload();
  for (size_t i = items.size(); i > 0; --i)
    if (TRY(equal(items[i - 1], call.args[1], call.budget))) return Value(static_cast<int64_t>(i - 1));
  return Value(int64_t{-1});
}

Result<Value> is_sorted(const Call& call) {
  const std::vector<Value> items = TRY(items_of(call, 0));
  for (size_t i = 1; i < items.size(); ++i)
    if (TRY(compare(items[i - 1], items[i], call.budget)) == 1) return Value(false);
  return Value(true);
}

Result<Value> sum(const Call& call) {
  const std::vector<Value> items = TRY(items_of(call, 0));
  if (items.empty()) return Value(int64_t{0});
  const Value::Type type = items[0].type();
  if (type > Value::Type::kDouble && type != Value::Type::kDuration)
    return eval_error(fmt::format("no such overload: sum({})", call.args[0].type_name()));
  Value total = items[0];
  for (size_t i = 1; i < items.size(); ++i) total = TRY(add(total, items[i], call.budget));
  return total;
}

// Returns the smallest item for wanted = -1, the greatest for wanted = 1.
Result<Value> extreme(const Call& call, int wanted) {
  const std::vector<Value> items = TRY(items_of(call, 0));
  if (items.empty()) return eval_error(fmt::format("{} called on empty list", call.name));
  Value best = items[0];
  for (const Value& item : items)
    if (TRY(compare(item, best, call.budget)) == wanted) best = item;
  return best;
}
Result<Value> min(const Call& call) { return extreme(call, -1); }
Result<Value> max(const Call& call) { return extreme(call, 1); }

// Whether the list args[whole] contains every item of the list args[part].
Result<bool> covers(const Call& call, size_t whole, size_t part) {
  const std::vector<Value> items = TRY(items_of(call, whole));
  for (const Value& wanted : TRY(items_of(call, part)))
    if (!TRY(holds(items, wanted, call.budget))) return false;
  return true;
}
Result<Value> sets_contains(const Call& call) { return Value(TRY(covers(call, 0, 1))); }
Result<Value> sets_equivalent(const Call& call) {
  if (!TRY(covers(call, 0, 1))) return Value(false);
  return Value(TRY(covers(call, 1, 0)));
}
Result<Value> sets_intersects(const Call& call) {
  const std::vector<Value> items = TRY(items_of(call, 0));
  for (const Value& wanted : TRY(items_of(call, 1)))
    if (TRY(holds(items, wanted, call.budget))) return Value(true);
  return Value(false);
}

constexpr Function kListFunctions[] = {
    {"size", true, 1, 1, size},
    {"size", false, 1, 1, size},
    {"indexOf", true, 2, 3, index_of},
    {"lastIndexOf", true, 2, 3, last_index_of},
    {"isSorted", true, 1, 1, is_sorted},
    {"sum", true, 1, 1, sum},
    {"min", true, 1, 1, min},
    {"max", true, 1, 1, max},
    {"sets.contains", false, 2, 2, sets_contains},
    {"sets.equivalent", false, 2, 2, sets_equivalent},
    {"sets.intersects", false, 2, 2, sets_intersects},
};

}  // namespace

std::span<const Function> list_functions() { return kListFunctions; }

}  // namespace tenon::cel
