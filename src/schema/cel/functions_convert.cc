// Conversions between types: int("42"), string(1.5), type(x).
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "schema/cel/functions.h"
#include "schema/cel/time_text.h"

namespace tenon::cel {
namespace {

constexpr double kInt64Bound = 9223372036854775808.0;    // 2^63
constexpr double kUint64Bound = 18446744073709551616.0;  // 2^64

tl::unexpected<Error> bad_text(std::string_view to) {
  return eval_error(fmt::format("type conversion error from 'string' to '{}'", to));
}
tl::unexpected<Error> no_conversion(const Call& call) {
  return eval_error(fmt::format("no such overload: {}({})", call.name, call.args[0].type_name()));
}

// Parses the whole text as a number. plus: allows a leading +, as in Go.
template <class T>
std::optional<T> parse_number(std::string_view text, bool plus) {
  if (plus && text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  T out{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return out;
}

Result<Value> to_int(const Call& call) {
  const Value& v = call.args[0];
  if (v.get<int64_t>()) return v;
  if (const auto* u = v.get<uint64_t>()) {
    if (*u > static_cast<uint64_t>(INT64_MAX)) return eval_error("integer overflow");
    return Value(static_cast<int64_t>(*u));
  }
  if (const auto* d = v.get<double>()) {
    if (!(*d > -kInt64Bound && *d < kInt64Bound)) return eval_error("integer overflow");
    return Value(static_cast<int64_t>(*d));
  }
  if (const auto* s = v.get<std::string>()) {
    const auto number = parse_number<int64_t>(*s, true);
    if (!number) return bad_text("int");
    return Value(*number);
  }
  if (const auto* t = v.get<Instant>())
    return Value(static_cast<int64_t>(std::chrono::floor<std::chrono::seconds>(t->time_since_epoch()).count()));
  if (const auto* d = v.get<Duration>()) return Value(static_cast<int64_t>(d->count()));
  return no_conversion(call);
}

Result<Value> to_uint(const Call& call) {
  const Value& v = call.args[0];
  if (v.get<uint64_t>()) return v;
  if (const auto* i = v.get<int64_t>()) {
    if (*i < 0) return eval_error("unsigned integer overflow");
    return Value(static_cast<uint64_t>(*i));
  }
  if (const auto* d = v.get<double>()) {
    if (!(*d >= 0 && *d < kUint64Bound)) return eval_error("unsigned integer overflow");
    return Value(static_cast<uint64_t>(*d));
  }
  if (const auto* s = v.get<std::string>()) {
    const auto number = parse_number<uint64_t>(*s, false);
    if (!number) return bad_text("uint");
    return Value(*number);
  }
  return no_conversion(call);
}

Result<Value> to_double(const Call& call) {
  const Value& v = call.args[0];
  if (v.get<double>()) return v;
  if (const auto* i = v.get<int64_t>()) return Value(static_cast<double>(*i));
  if (const auto* u = v.get<uint64_t>()) return Value(static_cast<double>(*u));
  if (const auto* s = v.get<std::string>()) {
    const auto number = parse_number<double>(*s, true);
    if (!number) return bad_text("double");
    return Value(*number);
  }
  return no_conversion(call);
}

Result<Value> to_text(const Call& call) {
  const Value& v = call.args[0];
  if (v.get<std::string>()) return v;
  if (const auto* b = v.get<bool>()) return make_string(*b ? "true" : "false");
  if (const auto* i = v.get<int64_t>()) return make_string(std::to_string(*i));
  if (const auto* u = v.get<uint64_t>()) return make_string(std::to_string(*u));
  if (const auto* d = v.get<double>()) return make_string(format_go_double(*d));
  if (const auto* b = v.get<Bytes>()) return make_string(b->data);
  if (const auto* d = v.get<Duration>()) return make_string(format_duration(*d));
  if (const auto* t = v.get<Instant>()) return make_string(format_timestamp(*t));
  return no_conversion(call);
}

Result<Value> to_bool(const Call& call) {
  const Value& v = call.args[0];
  if (v.get<bool>()) return v;
  const auto* s = v.get<std::string>();
  if (!s) return no_conversion(call);
  for (const std::string_view yes : {"1", "t", "T", "TRUE", "true", "True"})
    if (*s == yes) return Value(true);
  for (const std::string_view no : {"0", "f", "F", "FALSE", "false", "False"})
    if (*s == no) return Value(false);
  return bad_text("bool");
}

Result<Value> to_bytes(const Call& call) {
  if (call.args[0].get<Bytes>()) return call.args[0];
  if (const auto* s = call.args[0].get<std::string>()) return Value(Bytes{*s});
  return no_conversion(call);
}

Result<Value> to_duration(const Call& call) {
  if (call.args[0].get<Duration>()) return call.args[0];
  const auto* s = call.args[0].get<std::string>();
  if (!s) return no_conversion(call);
  const std::optional<Duration> d = parse_duration(*s);
  if (!d) return bad_text("google.protobuf.Duration");
  return Value(*d);
}

Result<Value> to_timestamp(const Call& call) {
  const Value& v = call.args[0];
  if (v.get<Instant>()) return v;
  if (const auto* i = v.get<int64_t>()) {
    const int64_t bound = INT64_MAX / 1'000'000'000;
    if (*i > bound || *i < -bound) return eval_error("timestamp overflow");
    return Value(Instant(std::chrono::seconds(*i)));
  }
  const auto* s = v.get<std::string>();
  if (!s) return no_conversion(call);
  const std::optional<Instant> t = parse_rfc3339(*s);
  if (!t) return bad_text("google.protobuf.Timestamp");
  return Value(*t);
}

Result<Value> to_dyn(const Call& call) { return call.args[0]; }
Result<Value> type_of(const Call& call) { return Value(TypeName{call.args[0].type_name()}); }

constexpr Function kConversionFunctions[] = {
    {"int", false, 1, 1, to_int},           {"uint", false, 1, 1, to_uint},
    {"double", false, 1, 1, to_double},     {"string", false, 1, 1, to_text},
    {"bool", false, 1, 1, to_bool},         {"bytes", false, 1, 1, to_bytes},
    {"duration", false, 1, 1, to_duration}, {"timestamp", false, 1, 1, to_timestamp},
    {"dyn", false, 1, 1, to_dyn},           {"type", false, 1, 1, type_of},
};

}  // namespace

std::span<const Function> conversion_functions() { return kConversionFunctions; }

}  // namespace tenon::cel
