// SPDX-License-Identifier: Apache-2.0
#include "schema/cel/arithmetic.h"

#include <cmath>
#include <limits>

#include "schema/cel/functions.h"

namespace tenon::cel {
namespace {

tl::unexpected<Error> overflow(bool is_unsigned) {
  return eval_error(is_unsigned ? "unsigned integer overflow" : "integer overflow");
}

template <class T>
bool both(const Value& a, const Value& b, T& x, T& y) {
  const T* left = a.get<T>();
  const T* right = b.get<T>();
  if (!left || !right) return false;
  x = *left;
  y = *right;
  return true;
}

Result<Value> shifted(Instant t, Duration d, bool back) {
  int64_t out = 0;
  const int64_t ns = t.time_since_epoch().count();
  if (back ? __builtin_sub_overflow(ns, d.count(), &out) : __builtin_add_overflow(ns, d.count(), &out))
    return eval_error("timestamp overflow");
  return Value(Instant(Duration(out)));
}

Result<Value> joined(const std::string& a, const std::string& b, Budget& budget) {
  if (a.size() + b.size() > kMaxTextBytes) return eval_error("the string is too long");
  TRY(spend_text(budget, a.size() + b.size()));
  return Value(a + b);
}

}  // namespace

Result<Value> add(const Value& a, const Value& b, Budget& budget) {
  int64_t i = 0, j = 0, sum = 0;
  uint64_t u = 0, v = 0, total = 0;
  double x = 0, y = 0;
  Duration d{}, e{};
  if (both(a, b, i, j)) return __builtin_add_overflow(i, j, &sum) ? Result<Value>(overflow(false)) : Value(sum);
  if (both(a, b, u, v)) return __builtin_add_overflow(u, v, &total) ? Result<Value>(overflow(true)) : Value(total);
  if (both(a, b, x, y)) return Value(x + y);
  if (both(a, b, d, e)) {
    if (__builtin_add_overflow(d.count(), e.count(), &sum)) return eval_error("duration overflow");
    return Value(Duration(sum));
  }
  if (a.get<Instant>() && b.get<Duration>()) return shifted(*a.get<Instant>(), *b.get<Duration>(), false);
  if (a.get<Duration>() && b.get<Instant>()) return shifted(*b.get<Instant>(), *a.get<Duration>(), false);
  if (a.get<std::string>() && b.get<std::string>()) return joined(*a.get<std::string>(), *b.get<std::string>(), budget);
  if (a.get<ListPtr>() && b.get<ListPtr>()) return concatenate(*a.get<ListPtr>(), *b.get<ListPtr>(), budget);
  if (a.get<Bytes>() && b.get<Bytes>()) {
    const Value text = TRY(joined(a.get<Bytes>()->data, b.get<Bytes>()->data, budget));
    return Value(Bytes{*text.get<std::string>()});
  }
  return no_such_overload();
}

Result<Value> subtract(const Value& a, const Value& b) {
  int64_t i = 0, j = 0, difference = 0;
  uint64_t u = 0, v = 0;
  double x = 0, y = 0;
  Duration d{}, e{};
  Instant s{}, t{};
  if (both(a, b, i, j))
    return __builtin_sub_overflow(i, j, &difference) ? Result<Value>(overflow(false)) : Value(difference);
  if (both(a, b, u, v)) return v > u ? Result<Value>(overflow(true)) : Value(u - v);
  if (both(a, b, x, y)) return Value(x - y);
  if (both(a, b, d, e)) {
    if (__builtin_sub_overflow(d.count(), e.count(), &difference)) return eval_error("duration overflow");
    return Value(Duration(difference));
  }
  if (both(a, b, s, t)) {
    if (__builtin_sub_overflow(s.time_since_epoch().count(), t.time_since_epoch().count(), &difference))
      return eval_error("duration overflow");
    return Value(Duration(difference));
  }
  if (a.get<Instant>() && b.get<Duration>()) return shifted(*a.get<Instant>(), *b.get<Duration>(), true);
  return no_such_overload();
}

Result<Value> multiply(const Value& a, const Value& b) {
  int64_t i = 0, j = 0, product = 0;
  uint64_t u = 0, v = 0, total = 0;
  double x = 0, y = 0;
  if (both(a, b, i, j)) return __builtin_mul_overflow(i, j, &product) ? Result<Value>(overflow(false)) : Value(product);
  if (both(a, b, u, v)) return __builtin_mul_overflow(u, v, &total) ? Result<Value>(overflow(true)) : Value(total);
  if (both(a, b, x, y)) return Value(x * y);
  return no_such_overload();
}

Result<Value> divide(const Value& a, const Value& b) {
  int64_t i = 0, j = 0;
  uint64_t u = 0, v = 0;
  double x = 0, y = 0;
  if (both(a, b, i, j)) {
    if (j == 0) return eval_error("division by zero");
    return i == INT64_MIN && j == -1 ? Result<Value>(overflow(false)) : Value(i / j);
  }
  if (both(a, b, u, v)) return v == 0 ? Result<Value>(eval_error("division by zero")) : Value(u / v);
  if (both(a, b, x, y)) {
    if (y != 0) return Value(x / y);
    const bool negative = std::signbit(x) != std::signbit(y);
    if (x == 0 || std::isnan(x)) return Value(std::numeric_limits<double>::quiet_NaN());
    return Value(negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity());
  }
  return no_such_overload();
}

Result<Value> modulo(const Value& a, const Value& b) {
  int64_t i = 0, j = 0;
  uint64_t u = 0, v = 0;
  if (both(a, b, i, j)) {
    if (j == 0) return eval_error("modulus by zero");
    return i == INT64_MIN && j == -1 ? Result<Value>(overflow(false)) : Value(i % j);
  }
  if (both(a, b, u, v)) return v == 0 ? Result<Value>(eval_error("modulus by zero")) : Value(u % v);
  return no_such_overload();
}

Result<Value> negate(const Value& a) {
  if (const auto* i = a.get<int64_t>()) return *i == INT64_MIN ? Result<Value>(overflow(false)) : Value(-*i);
  if (const auto* d = a.get<double>()) return Value(-*d);
  return no_such_overload();
}

}  // namespace tenon::cel
