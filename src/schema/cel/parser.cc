// SPDX-License-Identifier: Apache-2.0
#include "schema/cel/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "schema/cel/lexer.h"

namespace tenon::cel {
namespace {

using Kind = DeclType::Kind;

struct Infix {
  std::string_view symbol;
  Op op;
  int power;  // higher binds tighter; all are left-associative
};
constexpr int kOrPower = 1, kAndPower = 2, kRelationPower = 3, kSumPower = 4, kProductPower = 5;
constexpr Infix kInfix[] = {
    {"||", Op::kOr, kOrPower},           {"&&", Op::kAnd, kAndPower},
    {"==", Op::kEqual, kRelationPower},  {"!=", Op::kNotEqual, kRelationPower},
    {"<", Op::kLess, kRelationPower},    {"<=", Op::kLessEqual, kRelationPower},
    {">", Op::kGreater, kRelationPower}, {">=", Op::kGreaterEqual, kRelationPower},
    {"in", Op::kIn, kRelationPower},     {"+", Op::kAdd, kSumPower},
    {"-", Op::kSubtract, kSumPower},     {"*", Op::kMultiply, kProductPower},
    {"/", Op::kDivide, kProductPower},   {"%", Op::kModulo, kProductPower},
};

struct Macro {
  std::string_view name;
  Op op;
};
constexpr Macro kMacros[] = {
    {"all", Op::kAll},       {"exists", Op::kExists}, {"exists_one", Op::kExistsOne}, {"existsOne", Op::kExistsOne},
    {"filter", Op::kFilter}, {"map", Op::kTransform}};

constexpr std::string_view kTypes[] = {"null_type",
                                       "bool",
                                       "int",
                                       "uint",
                                       "double",
                                       "string",
                                       "bytes",
                                       "list",
                                       "map",
                                       "type",
                                       "google.protobuf.Duration",
                                       "google.protobuf.Timestamp"};
constexpr std::string_view kReservedWords[] = {"as",       "break",     "const",  "continue", "else", "for",
                                               "function", "if",        "import", "in",       "let",  "loop",
                                               "package",  "namespace", "return", "var",      "void", "while"};

const DeclType* scalar(Kind kind) {
  static const std::vector<DeclType> types = [] {
    std::vector<DeclType> out(static_cast<size_t>(Kind::kTimestamp) + 1);
    for (size_t i = 0; i < out.size(); ++i) out[i].kind = static_cast<Kind>(i);
    return out;
  }();
  return &types[static_cast<size_t>(kind)];
}

bool known(const DeclType* type) { return type && type->kind != Kind::kDyn && type->kind != Kind::kIntOrString; }
bool is_number(const DeclType& type) { return type.kind == Kind::kInt || type.kind == Kind::kDouble; }

const DeclType* literal_type(const Value& value) {
  switch (value.type()) {
    case Value::Type::kBool: return scalar(Kind::kBool);
    case Value::Type::kInt: return scalar(Kind::kInt);
    case Value::Type::kDouble: return scalar(Kind::kDouble);
    case Value::Type::kString: return scalar(Kind::kString);
    default: return nullptr;
  }
}

class Parser {
 public:
  Parser(std::string_view text, std::vector<Token> tokens) : text_(text), tokens_(std::move(tokens)) {}

  Result<Tree> run(std::span<const Variable> variables) {
    for (const Variable& variable : variables) scope_.push_back({variable.name, slots_++, variable.type.get()});
    used_.resize(variables.size());
    Tree tree;
    tree.root = TRY(expression());
    if (token().kind != Token::Kind::kEnd) return fail_here("Syntax error: extraneous input");
    tree.slots = slots_;
    tree.variable_used = used_;
    return tree;
  }

 private:
  struct Binding {
    std::string name;
    size_t slot;
    const DeclType* type;
  };

  const Token& token(size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  bool is(std::string_view text) const { return token().kind != Token::Kind::kLiteral && token().text == text; }
  bool accept(std::string_view text) {
    if (!is(text) || token().kind == Token::Kind::kEnd) return false;
    ++at_;
    return true;
  }
  tl::unexpected<Error> fail_at(size_t position, std::string_view what) const {
    return syntax_error(text_, position, what);
  }
  tl::unexpected<Error> fail_here(std::string_view what) const {
    const std::string_view seen = token().kind == Token::Kind::kEnd ? "<EOF>" : text_.substr(token().position, 1);
    const std::string_view shown = token().text.empty() ? seen : token().text;
    return fail_at(token().position, fmt::format("{} '{}'", what, shown));
  }
  Status expect(std::string_view symbol) {
    if (!accept(symbol)) return fail_here(fmt::format("Syntax error: missing '{}' at", symbol));
    return ok();
  }

  NodePtr leaf(Op op, size_t position) const {
    auto node = std::make_unique<Node>();
    node->op = op;
    node->position = position;
    return node;
  }
  Status adopt(Node& parent, NodePtr child) const {
    parent.depth = std::max(parent.depth, child->depth + 1);
    if (parent.depth > kMaxDepth) return fail_at(parent.position, "the expression is nested too deeply");
    parent.args.push_back(std::move(child));
    return ok();
  }

  Result<NodePtr> expression() {
    if (++nesting_ > kMaxDepth) return fail_here("the expression is nested too deeply at");
    NodePtr condition = TRY(binary(kOrPower));
    const size_t position = token().position;
    if (accept("?")) {
      TRY(want_bool(*condition, position, "_?_:_"));
      NodePtr node = leaf(Op::kTernary, position);
      TRY(adopt(*node, std::move(condition)));
      NodePtr yes = TRY(binary(kOrPower));
      TRY(expect(":"));
      NodePtr no = TRY(expression());
      TRY(adopt(*node, std::move(yes)));
      TRY(adopt(*node, std::move(no)));
      if (node->args[1]->type == node->args[2]->type) node->type = node->args[1]->type;
      condition = std::move(node);
    }
    --nesting_;
    return condition;
  }

  const Infix* infix() const {
    if (token().kind == Token::Kind::kLiteral || token().kind == Token::Kind::kEnd) return nullptr;
    for (const Infix& candidate : kInfix)
      if (candidate.symbol == token().text) return &candidate;
    return nullptr;
  }

  Result<NodePtr> binary(int least_power) {
    NodePtr left = TRY(unary());
    while (const Infix* found = infix()) {
      if (found->power < least_power) break;
      const size_t position = token().position;
      ++at_;
      NodePtr right = TRY(binary(found->power + 1));
      TRY(check_operands(*found, *left, *right, position));
      const bool logical = found->op == Op::kAnd || found->op == Op::kOr;
      if (logical && left->op == found->op) {
        TRY(adopt(*left, std::move(right)));  // a && b && c is one node, so that long chains stay flat
        continue;
      }
      NodePtr node = leaf(found->op, position);
      node->type = result_type(*found, *left, *right);
      TRY(adopt(*node, std::move(left)));
      TRY(adopt(*node, std::move(right)));
      left = std::move(node);
    }
    return left;
  }

  const DeclType* result_type(const Infix& infix, const Node& left, const Node& right) const {
    if (infix.power <= kRelationPower) return scalar(Kind::kBool);
    return left.type == right.type && known(left.type) ? left.type : nullptr;
  }

  tl::unexpected<Error> no_overload(std::string_view what, const Node& left, const Node& right, size_t position) const {
    return fail_at(position, fmt::format("found no matching overload for '_{}_' applied to '({}, {})'", what,
                                         left.type->name(), right.type->name()));
  }
  Status want_bool(const Node& operand, size_t position, std::string_view what) const {
    if (!known(operand.type) || operand.type->kind == Kind::kBool) return ok();
    return fail_at(position,
                   fmt::format("found no matching overload for '{}' applied to '({})'", what, operand.type->name()));
  }
  Status check_operands(const Infix& infix, const Node& left, const Node& right, size_t position) const {
    if (infix.power <= kAndPower) {
      TRY(want_bool(left, position, fmt::format("_{}_", infix.symbol)));
      return want_bool(right, position, fmt::format("_{}_", infix.symbol));
    }
    if (infix.op == Op::kIn || !known(left.type) || !known(right.type)) return ok();
    const bool numbers = is_number(*left.type) && is_number(*right.type);
    const bool maps = left.type->kind >= Kind::kMap && right.type->kind >= Kind::kMap;
    if (left.type->kind == right.type->kind || maps || (numbers && infix.power == kRelationPower)) return ok();
    const bool times = left.type->kind >= Kind::kDuration && left.type->kind <= Kind::kTimestamp;
    if (times && right.type->kind >= Kind::kDuration && right.type->kind <= Kind::kTimestamp) return ok();
    return no_overload(infix.symbol, left, right, position);
  }

  // Parses a run of one operator. An even number of operators has no effect, as in cel-go.
  Result<NodePtr> unary() {
    const size_t position = token().position;
    const bool negate = is("-");
    if (!negate && !is("!")) return member();
    size_t count = 0;
    while (is(negate ? "-" : "!")) {
      if (negate && token(1).kind == Token::Kind::kLiteral && is_signed(token(1).literal)) break;
      ++at_;
      ++count;
    }
    NodePtr operand = TRY(negate && is("-") ? members_of(negative_literal()) : member());
    if (count % 2 == 0) return operand;
    if (!negate) TRY(want_bool(*operand, position, "!_"));
    NodePtr node = leaf(negate ? Op::kNegate : Op::kNot, position);
    node->type = negate ? operand->type : scalar(Kind::kBool);
    TRY(adopt(*node, std::move(operand)));
    return node;
  }

  static bool is_signed(const Value& literal) { return literal.get<int64_t>() || literal.get<double>(); }

  // Parses a minus and the signed number (int or double) after it.
  NodePtr negative_literal() {
    const Value& literal = token(1).literal;
    NodePtr node = leaf(Op::kLiteral, token().position);
    if (const auto* i = literal.get<int64_t>()) {
      node->literal = Value(*i == INT64_MIN ? *i : -*i);
    } else {
      node->literal = Value(-*literal.get<double>());
    }
    node->type = literal_type(node->literal);
    at_ += 2;
    return node;
  }

  Result<NodePtr> member() { return members_of(TRY(primary())); }

  Status adopt_expression(Node& parent) {
    NodePtr child = TRY(expression());
    return adopt(parent, std::move(child));
  }

  Result<NodePtr> members_of(NodePtr node) {
    while (true) {
      const size_t position = token().position;
      if (accept(".")) {
        if (token().kind != Token::Kind::kIdentifier) return fail_here("Syntax error: no field name at");
        const std::string name(token().text);
        const size_t name_position = token().position;
        ++at_;
        if (accept("(")) {
          node = TRY(method(std::move(node), name, name_position));
        } else {
          node = TRY(select(std::move(node), name, position));
        }
      } else if (accept("[")) {
        NodePtr index = leaf(Op::kIndex, position);
        if (known(node->type) && node->type->element) index->type = node->type->element.get();
        TRY(adopt(*index, std::move(node)));
        TRY(adopt_expression(*index));
        TRY(expect("]"));
        node = std::move(index);
      } else {
        return node;
      }
    }
  }

  Result<NodePtr> select(NodePtr target, const std::string& name, size_t position) {
    NodePtr node = leaf(Op::kSelect, position);
    node->name = name;
    if (known(target->type)) {
      const DeclType& type = *target->type;
      if (type.kind == Kind::kObject) {
        const DeclType::Field* field = type.field(name);
        if (!field) return fail_at(position, fmt::format("undefined field '{}'", name));
        node->type = field->type.get();
      } else if (type.kind == Kind::kMap) {
        node->type = type.element.get();
      } else {
        return fail_at(position, fmt::format("type '{}' does not support field selection", type.name()));
      }
    }
    TRY(adopt(*node, std::move(target)));
    return node;
  }

  Result<NodePtr> method(NodePtr receiver, const std::string& name, size_t position) {
    for (const Macro& macro : kMacros)
      if (macro.name == name) return comprehension(std::move(receiver), macro.op, position);
    std::vector<NodePtr> args;
    args.push_back(std::move(receiver));
    return call(name, true, std::move(args), position);
  }

  Result<NodePtr> comprehension(NodePtr range, Op op, size_t position) {
    if (token().kind != Token::Kind::kIdentifier || token(1).text != ",")
      return fail_at(token().position, "argument must be a simple name");
    NodePtr node = leaf(op, position);
    const DeclType* element = nullptr;
    if (known(range->type)) {
      const bool keys = range->type->kind == Kind::kMap || range->type->kind == Kind::kObject;
      if (!keys && range->type->kind != Kind::kList)
        return fail_at(position,
                       fmt::format("expression of type '{}' cannot be range of a comprehension", range->type->name()));
      element = keys ? scalar(Kind::kString) : range->type->element.get();
    }
    TRY(adopt(*node, std::move(range)));
    node->slot = slots_++;
    scope_.push_back({std::string(token().text), node->slot, element});
    at_ += 2;
    NodePtr body = TRY(expression());
    if (op == Op::kTransform && accept(",")) {
      NodePtr filter = std::move(body);
      body = TRY(expression());
      TRY(want_bool(*filter, position, "map"));
      TRY(adopt(*node, std::move(body)));
      TRY(adopt(*node, std::move(filter)));
    } else {
      if (op != Op::kTransform) TRY(want_bool(*body, position, "predicate"));
      TRY(adopt(*node, std::move(body)));
    }
    scope_.pop_back();
    TRY(expect(")"));
    if (op == Op::kFilter)
      node->type = node->args[0]->type && node->args[0]->type->kind == Kind::kList ? node->args[0]->type : nullptr;
    if (op == Op::kAll || op == Op::kExists || op == Op::kExistsOne) node->type = scalar(Kind::kBool);
    return node;
  }

  // Parses a call after its opening parenthesis.
  Result<NodePtr> call(const std::string& name, bool is_method, std::vector<NodePtr> args, size_t position) {
    while (!is(")")) {
      args.push_back(TRY(expression()));
      if (!accept(",")) break;
    }
    TRY(expect(")"));
    if (!function_exists(name)) return fail_at(position, fmt::format("undeclared reference to '{}'", name));
    const Function* function = find_function(name, is_method, args.size());
    if (!function) {
      return fail_at(position, fmt::format("found no matching overload for '{}' with {}", name,
                                           counted(args.size() - (is_method ? 1 : 0), "argument")));
    }
    NodePtr node = leaf(Op::kCall, position);
    node->name = name;
    node->function = function;
    for (NodePtr& arg : args) TRY(adopt(*node, std::move(arg)));
    TRY(precompile(*node));
    if (name == "size") node->type = scalar(Kind::kInt);
    return node;
  }

  // Compiles literal patterns and checks literal durations and timestamps, once for all evaluations.
  Status precompile(Node& node) const {
    const bool time = node.name == "duration" || node.name == "timestamp";
    if (time && node.args[0]->op == Op::kLiteral && node.args[0]->literal.get<std::string>()) {
      Budget free(INT64_MAX);
      const Value arg[] = {node.args[0]->literal};
      if (!node.function->run({node.name, arg, free, nullptr}))
        return fail_at(node.args[0]->position, fmt::format("invalid {} argument", node.name));
    }
    if (node.function->pattern_arg < 0) return ok();
    const Node& pattern = *node.args[static_cast<size_t>(node.function->pattern_arg)];
    const std::string* text = pattern.op == Op::kLiteral ? pattern.literal.get<std::string>() : nullptr;
    if (!text) return ok();
    auto compiled = std::make_shared<re2::RE2>(*text, re2::RE2::Quiet);
    if (!compiled->ok())
      return fail_at(pattern.position, fmt::format("invalid {} argument: {}", node.name, compiled->error()));
    node.pattern = std::move(compiled);
    return ok();
  }

  Result<NodePtr> primary() {
    const Token& first = token();
    if (first.kind == Token::Kind::kLiteral) {
      if (const auto* i = first.literal.get<int64_t>(); i && *i == INT64_MIN)
        return fail_at(first.position, "invalid int literal");
      NodePtr node = leaf(Op::kLiteral, first.position);
      node->literal = first.literal;
      node->type = literal_type(first.literal);
      ++at_;
      return node;
    }
    if (first.kind == Token::Kind::kIdentifier) return identifier();
    if (accept("(")) {
      NodePtr inner = TRY(expression());
      TRY(expect(")"));
      return inner;
    }
    if (accept("[")) return list(first.position);
    if (accept("{")) return map(first.position);
    return fail_here("Syntax error: mismatched input");
  }

  Result<NodePtr> list(size_t position) {
    NodePtr node = leaf(Op::kList, position);
    while (!is("]")) {
      TRY(adopt_expression(*node));
      if (!accept(",")) break;
    }
    TRY(expect("]"));
    return node;
  }

  Result<NodePtr> map(size_t position) {
    NodePtr node = leaf(Op::kMap, position);
    while (!is("}")) {
      TRY(adopt_expression(*node));
      TRY(expect(":"));
      TRY(adopt_expression(*node));
      if (!accept(",")) break;
    }
    TRY(expect("}"));
    return node;
  }

  Result<NodePtr> identifier() {
    const size_t position = token().position;
    std::string name(token().text);
    if (std::find(std::begin(kReservedWords), std::end(kReservedWords), name) != std::end(kReservedWords))
      return fail_at(position, fmt::format("Syntax error: '{}' is a reserved word", name));
    ++at_;
    if (NodePtr variable = lookup(name, position)) return variable;
    // Dotted names of functions and types (sets.contains, google.protobuf.Duration) are not field selections.
    for (int dots = 0; dots < 2 && token().text == "." && token(1).kind == Token::Kind::kIdentifier && !ends(name);
         ++dots) {
      name += "." + std::string(token(1).text);
      at_ += 2;
    }
    if (accept("(")) return name == "has" ? presence() : call(name, false, {}, position);
    for (const std::string_view type : kTypes) {
      if (type != name) continue;
      NodePtr node = leaf(Op::kLiteral, position);
      node->literal = Value(TypeName{type});
      return node;
    }
    return fail_at(position, fmt::format("undeclared reference to '{}'", cut_name(name)));
  }

  bool ends(const std::string& name) const {
    return function_exists(name) || std::find(std::begin(kTypes), std::end(kTypes), name) != std::end(kTypes);
  }
  static std::string cut_name(const std::string& name) { return name.substr(0, name.find('.')); }

  NodePtr lookup(const std::string& name, size_t position) {
    for (auto binding = scope_.rbegin(); binding != scope_.rend(); ++binding) {
      if (binding->name != name) continue;
      NodePtr node = leaf(Op::kVariable, position);
      node->slot = binding->slot;
      node->type = binding->type;
      if (binding->slot < used_.size()) used_[binding->slot] = true;
      return node;
    }
    return nullptr;
  }

  Result<NodePtr> presence() {
    const size_t position = token().position;
    NodePtr field = TRY(expression());
    if (field->op != Op::kSelect) return fail_at(position, "invalid argument to has() macro");
    TRY(expect(")"));
    field->op = Op::kHas;
    field->type = scalar(Kind::kBool);
    return field;
  }

  const std::string_view text_;
  const std::vector<Token> tokens_;
  size_t at_ = 0;
  int nesting_ = 0;
  size_t slots_ = 0;
  std::vector<Binding> scope_;
  std::vector<bool> used_;
};

}  // namespace

Result<Tree> parse(std::string_view text, std::span<const Variable> variables) {
  if (text.size() > kMaxExpressionBytes)
    return fail(Code::kInvalid, fmt::format("the expression has more than {} bytes", kMaxExpressionBytes));
  return Parser(text, TRY(tokenize(text))).run(variables);
}

}  // namespace tenon::cel
