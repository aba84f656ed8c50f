// SPDX-License-Identifier: Apache-2.0
#include "schema/cel/cel.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "base/check.h"
#include "schema/cel/arithmetic.h"

namespace tenon::cel {
namespace {

std::string key_text(const Value& key) {
  if (const auto* s = key.get<std::string>()) return *s;
  if (const auto* i = key.get<int64_t>()) return std::to_string(*i);
  if (const auto* u = key.get<uint64_t>()) return std::to_string(*u);
  if (const auto* d = key.get<double>()) return format_go_double(*d);
  if (const auto* b = key.get<bool>()) return *b ? "true" : "false";
  return std::string(key.type_name());
}

tl::unexpected<Error> no_such_key(const Value& key) { return eval_error("no such key: " + key_text(key)); }

std::string_view go_type(const Value& value) {
  constexpr std::string_view names[] = {"types.Null",      "types.Bool",      "types.Int",   "types.Uint",
                                        "types.Double",    "types.String",    "types.Bytes", "types.Duration",
                                        "types.Timestamp", "types.List",      "types.Map",   "*types.Type",
                                        "*types.Optional", "library.Quantity"};
  return names[static_cast<size_t>(value.type())];
}

class Evaluator {
 public:
  Evaluator(std::vector<Value> frame, Budget& budget) : frame_(std::move(frame)), budget_(budget) {}

  Result<Value> eval(const Node& node) {
    TRY(budget_.spend(1));
    switch (node.op) {
      case Op::kLiteral: return node.literal;
      case Op::kVariable: return frame_[node.slot];
      case Op::kSelect: return select(node);
      case Op::kHas: return has(node);
      case Op::kIndex: return index(node);
      case Op::kList: return list(node);
      case Op::kMap: return map(node);
      case Op::kAnd: return logical(node, false);
      case Op::kOr: return logical(node, true);
      case Op::kTernary: return eval(*node.args[TRY(truth(*node.args[0])) ? 1 : 2]);
      case Op::kNot: return Value(!TRY(truth(*node.args[0])));
      case Op::kNegate: return negate(TRY(eval(*node.args[0])));
      case Op::kCall: return call(node);
      case Op::kAll:
      case Op::kExists:
      case Op::kExistsOne:
      case Op::kFilter:
      case Op::kTransform: return comprehension(node);
      default: return binary(node);
    }
  }

 private:
  Result<bool> truth(const Node& node) {
    const Value value = TRY(eval(node));
    const bool* b = value.get<bool>();
    if (!b) return no_such_overload();
    return *b;
  }

  Result<Value> select(const Node& node) {
    const Value target = TRY(eval(*node.args[0]));
    if (const auto* map = target.get<MapPtr>()) {
      std::optional<Value> found = TRY((*map)->find(make_string(node.name)));
      if (found) return *std::move(found);
    }
    return eval_error("no such key: " + node.name);
  }

  Result<Value> has(const Node& node) {
    const Value target = TRY(eval(*node.args[0]));
    const auto* map = target.get<MapPtr>();
    return Value(map && TRY((*map)->find(make_string(node.name))).has_value());
  }

  Result<Value> index(const Node& node) {
    const Value target = TRY(eval(*node.args[0]));
    const Value key = TRY(eval(*node.args[1]));
    if (const auto* map = target.get<MapPtr>()) {
      std::optional<Value> found = TRY((*map)->find(key));
      if (found) return *std::move(found);
      return no_such_key(key);
    }
    const auto* list = target.get<ListPtr>();
    if (!list) return no_such_key(key);
    int64_t at = 0;
    if (const auto* i = key.get<int64_t>()) {
      at = *i;
    } else if (const auto* u = key.get<uint64_t>()) {
      at = *u > static_cast<uint64_t>(INT64_MAX) ? -1 : static_cast<int64_t>(*u);
    } else if (const auto* d = key.get<double>()) {
      if (std::trunc(*d) != *d || std::fabs(*d) > 9007199254740992.0)
        return eval_error(fmt::format("unsupported index value {} in list", format_go_double(*d)));
      at = static_cast<int64_t>(*d);
    } else {
      return eval_error(fmt::format("unsupported index type '{}' in list", key.type_name()));
    }
    if (at < 0 || static_cast<size_t>(at) >= (*list)->size())
      return eval_error(fmt::format("index out of bounds: {}", at));
    return (*list)->at(static_cast<size_t>(at));
  }

  Result<Value> list(const Node& node) {
    std::vector<Value> items;
    for (const NodePtr& arg : node.args) items.push_back(TRY(eval(*arg)));
    return make_list(std::move(items));
  }

  Result<Value> map(const Node& node) {
    std::vector<std::pair<Value, Value>> entries;
    for (size_t i = 0; i < node.args.size(); i += 2) {
      Value key = TRY(eval(*node.args[i]));
      entries.emplace_back(std::move(key), TRY(eval(*node.args[i + 1])));
    }
    TRY(budget_.spend(static_cast<int64_t>(entries.size() * entries.size())));
    return make_map(std::move(entries));
  }

  // Evaluates || (deciding = true) or &&: `deciding` if any operand has that value, else the first error, if any.
  Result<Value> logical(const Node& node, bool deciding) {
    std::optional<Error> error;
    for (const NodePtr& arg : node.args) {
      const Result<bool> operand = truth(*arg);
      if (operand && *operand == deciding) return Value(deciding);
      if (!operand && !error) error = operand.error();
    }
    if (error) return fail(*std::move(error));
    return Value(!deciding);
  }

  Result<Value> call(const Node& node) {
    std::vector<Value> args;
    for (const NodePtr& arg : node.args) args.push_back(TRY(eval(*arg)));
    return node.function->run({node.name, args, budget_, node.pattern.get()});
  }

  Result<Value> contains(const Value& item, const Value& range) {
    if (const auto* map = range.get<MapPtr>()) return Value(TRY((*map)->find(item)).has_value());
    const auto* list = range.get<ListPtr>();
    if (!list) return no_such_overload();
    for (size_t i = 0; i < (*list)->size(); ++i) {
      const Value at = TRY((*list)->at(i));
      if (TRY(equal(at, item, budget_))) return Value(true);
    }
    return Value(false);
  }

  Result<Value> binary(const Node& node) {
    const Value a = TRY(eval(*node.args[0]));
    const Value b = TRY(eval(*node.args[1]));
    switch (node.op) {
      case Op::kMultiply: return multiply(a, b);
      case Op::kDivide: return divide(a, b);
      case Op::kModulo: return modulo(a, b);
      case Op::kAdd: return add(a, b, budget_);
      case Op::kSubtract: return subtract(a, b);
      case Op::kEqual: return Value(TRY(equal(a, b, budget_)));
      case Op::kNotEqual: return Value(!TRY(equal(a, b, budget_)));
      case Op::kIn: return contains(a, b);
      default: break;
    }
    const int order = TRY(compare(a, b, budget_));
    if (order == 2) return Value(false);
    switch (node.op) {
      case Op::kLess: return Value(order < 0);
      case Op::kLessEqual: return Value(order <= 0);
      case Op::kGreater: return Value(order > 0);
      default: CHECK(node.op == Op::kGreaterEqual); return Value(order >= 0);
    }
  }

  // Calls `visit` for each element of a list or key of a map until `visit` returns false.
  Status each(const Node& node, const std::function<Result<bool>(const Value&)>& visit) {
    const Value range = TRY(eval(*node.args[0]));
    if (const auto* list = range.get<ListPtr>()) {
      for (size_t i = 0; i < (*list)->size(); ++i) {
        TRY(budget_.spend(1));
        frame_[node.slot] = TRY((*list)->at(i));
        if (!TRY(visit(frame_[node.slot]))) break;
      }
      return ok();
    }
    const auto* map = range.get<MapPtr>();
    if (!map) return eval_error(fmt::format("got '{}', expected iterable type", go_type(range)));
    for (const Value& key : (*map)->keys()) {
      TRY(budget_.spend(1));
      frame_[node.slot] = key;
      if (!TRY(visit(key))) break;
    }
    return ok();
  }

  Result<Value> comprehension(const Node& node) {
    if (node.op == Op::kAll || node.op == Op::kExists) return quantified(node, node.op == Op::kExists);
    const Node& body = *node.args[1];
    std::vector<Value> out;
    const auto visit = [&](const Value& item) -> Result<bool> {
      if (node.op == Op::kTransform) {
        if (node.args.size() == 2 || TRY(truth(*node.args[2]))) out.push_back(TRY(eval(body)));
      } else if (TRY(truth(body))) {
        out.push_back(item);
      }
      return true;
    };
    TRY(each(node, visit));
    if (node.op == Op::kExistsOne) return Value(out.size() == 1);
    return make_list(std::move(out));
  }

  // Evaluates exists (deciding = true) or all like a chain of || or &&.
  Result<Value> quantified(const Node& node, bool deciding) {
    std::optional<Error> error;
    bool decided = false;
    const auto visit = [&](const Value&) -> Result<bool> {
      const Result<bool> holds = truth(*node.args[1]);
      if (!holds && budget_.exhausted()) return fail(holds.error());
      if (!holds && !error) error = holds.error();
      decided = holds && *holds == deciding;
      return !decided;
    };
    TRY(each(node, visit));
    if (decided) return Value(deciding);
    if (error) return fail(*std::move(error));
    return Value(!deciding);
  }

  std::vector<Value> frame_;
  Budget& budget_;
};

}  // namespace

Result<std::shared_ptr<const Program>> Program::compile(std::string_view text, std::vector<Variable> variables) {
  std::shared_ptr<Program> program(new Program());
  program->variables_ = std::move(variables);
  program->tree_ = TRY(parse(text, program->variables_));
  return std::shared_ptr<const Program>(std::move(program));
}

Result<Value> Program::evaluate(std::vector<Value> values, Budget& budget) const {
  CHECK(values.size() == variables_.size());
  values.resize(tree_.slots);
  Result<Value> result = Evaluator(std::move(values), budget).eval(*tree_.root);
  // || may have absorbed the error; a result is invalid if the budget is exhausted.
  if (budget.exhausted()) return fail(Code::kThrottled, "operation cancelled: actual cost limit exceeded");
  return result;
}

}  // namespace tenon::cel
