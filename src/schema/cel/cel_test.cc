// The results were compared with cel-go in the configuration of Kubernetes 1.34.
// SPDX-License-Identifier: Apache-2.0
#include "schema/cel/cel.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "json/json.h"
#include "schema/cel/time_text.h"

namespace tenon::cel {
namespace {

constexpr std::string_view kSelf = R"({
  "i": 3, "n": -7, "d": 2.5, "s": "Hello, World", "e": "", "l": [1, 2, 3], "ls": ["b", "a", "c"], "m": {"a": 1, "b": 2},
  "t": true, "f": false, "z": null, "big": 9223372036854775807, "min": -9223372036854775808, "u8": "héllo wörld",
  "dur": "1h30m", "ts": "2024-02-29T13:14:15.678Z", "num": "42", "x": {"y": {"k": "v"}}, "mix": [1, "a", 2.5],
  "ll": [[1, 2], [3]]
})";

json::value render(const Value& v);

json::value render_list(const List& list) {
  json::array out;
  for (size_t i = 0; i < list.size(); ++i) out.push_back(render(*list.at(i)));
  return out;
}

json::value render_map(const Map& map) {
  json::object out;
  for (const Value& key : map.keys()) {
    const json::value name = render(key);
    out[name.is_string() ? std::string(name.get_string()) : json::to_string(name)] = render(**map.find(key));
  }
  return out;
}

json::value render(const Value& v) {
  if (const auto* b = v.get<bool>()) return *b;
  if (const auto* i = v.get<int64_t>()) return *i;
  if (const auto* u = v.get<uint64_t>()) return *u;
  if (const auto* d = v.get<double>()) return *d;
  if (const auto* s = v.get<std::string>()) return json::value(std::string_view(*s));
  if (const auto* bytes = v.get<Bytes>()) return json::value(base64_encode(bytes->data));
  if (const auto* span = v.get<Duration>()) return json::value(format_duration(*span));
  if (const auto* t = v.get<Instant>()) return json::value(format_timestamp(*t));
  if (const auto* l = v.get<ListPtr>()) return render_list(**l);
  if (const auto* m = v.get<MapPtr>()) return render_map(**m);
  return nullptr;
}

std::string shown(const Value& v) {
  if (const auto* t = v.get<TypeName>()) return "type(" + std::string(t->name) + ")";
  return std::string(v.type_name()) + " " + json::to_string(render(v));
}

// "int 3", "ERROR no such key: x"; "COMPILE" without the message.
std::string run(std::string_view expression, int64_t steps = kMaxStepsPerCall) {
  const auto dyn = std::make_shared<DeclType>();
  const auto program = Program::compile(expression, {{"self", dyn}});
  if (!program) return "COMPILE";
  const json::value self = *json::parse(kSelf);
  Budget budget(steps);
  const Result<Value> result = (*program)->evaluate({*to_cel(self, *dyn)}, budget);
  return result ? shown(*result) : "ERROR " + result.error().message;
}

using DeclPtr = std::shared_ptr<const DeclType>;

std::string compile_error(std::string_view expression, DeclPtr self = std::make_shared<DeclType>()) {
  const auto program = Program::compile(expression, {{"self", std::move(self)}});
  return program ? "" : program.error().message;
}

struct Row {
  std::string_view expression;
  std::string_view result;
};

// clang-format off
constexpr Row kRows[] = {
    {R"cel(1 + 2 * 3 - 4 / 2 % 3)cel", R"cel(int 5)cel"},
    {R"cel(self.i + 1)cel", R"cel(int 4)cel"},
    {R"cel(self.i + self.d)cel", R"cel(ERROR no such overload)cel"},
    {R"cel(self.i / 0)cel", R"cel(ERROR division by zero)cel"},
    {R"cel(self.i % 0)cel", R"cel(ERROR modulus by zero)cel"},
    {R"cel(self.big + 1)cel", R"cel(ERROR integer overflow)cel"},
    {R"cel(self.min - 1)cel", R"cel(ERROR integer overflow)cel"},
    {R"cel(-self.min)cel", R"cel(ERROR integer overflow)cel"},
    {R"cel(self.big * 2)cel", R"cel(ERROR integer overflow)cel"},
    {R"cel(self.min / -1)cel", R"cel(ERROR integer overflow)cel"},
    {R"cel(self.i / 2)cel", R"cel(int 1)cel"},
    {R"cel(self.n / 2)cel", R"cel(int -3)cel"},
    {R"cel(self.n % 3)cel", R"cel(int -1)cel"},
    {R"cel(self.d / 0.0)cel", R"cel(double inf)cel"},
    {R"cel(self.i < self.d)cel", R"cel(bool false)cel"},
    {R"cel(self.i == 3.0)cel", R"cel(bool true)cel"},
    {R"cel(self.i == 3u)cel", R"cel(bool true)cel"},
    {R"cel(self.s == 3)cel", R"cel(bool false)cel"},
    {R"cel(self.s < 3)cel", R"cel(ERROR no such overload)cel"},
    {R"cel(self.s + "x")cel", R"cel(string "Hello, Worldx")cel"},
    {R"cel(self.s + 1)cel", R"cel(ERROR no such overload)cel"},
    {R"cel(self.l + [4])cel", R"cel(list [1,2,3,4])cel"},
    {R"cel(!self.t)cel", R"cel(bool false)cel"},
    {R"cel(!self.i)cel", R"cel(ERROR no such overload)cel"},
    {R"cel(-self.i)cel", R"cel(int -3)cel"},
    {R"cel(-self.s)cel", R"cel(ERROR no such overload)cel"},
    {R"cel(-self.d)cel", R"cel(double -2.5)cel"},
    {R"cel(self.nope)cel", R"cel(ERROR no such key: nope)cel"},
    {R"cel(self.nope.a)cel", R"cel(ERROR no such key: nope)cel"},
    {R"cel(self.s.nope)cel", R"cel(ERROR no such key: nope)cel"},
    {R"cel(self.i.nope)cel", R"cel(ERROR no such key: nope)cel"},
    {R"cel(self.l[0])cel", R"cel(int 1)cel"},
    {R"cel(self.l[3])cel", R"cel(ERROR index out of bounds: 3)cel"},
    {R"cel(self.l[-1])cel", R"cel(ERROR index out of bounds: -1)cel"},
    {R"cel(self.l["a"])cel", R"cel(ERROR unsupported index type 'string' in list)cel"},
    {R"cel(self.l[1.0])cel", R"cel(int 2)cel"},
    {R"cel(self.l[1.5])cel", R"cel(ERROR unsupported index value 1.5 in list)cel"},
    {R"cel(self.m["a"])cel", R"cel(int 1)cel"},
    {R"cel(self.m["zz"])cel", R"cel(ERROR no such key: zz)cel"},
    {R"cel(self.m[1])cel", R"cel(ERROR no such key: 1)cel"},
    {R"cel(self.m.a)cel", R"cel(int 1)cel"},
    {R"cel(self.s[0])cel", R"cel(ERROR no such key: 0)cel"},
    {R"cel(has(self.m.a))cel", R"cel(bool true)cel"},
    {R"cel(has(self.m.q))cel", R"cel(bool false)cel"},
    {R"cel(has(self.s.q))cel", R"cel(bool false)cel"},
    {R"cel(has(self.nope.q))cel", R"cel(ERROR no such key: nope)cel"},
    {R"cel(self.t || self.nope)cel", R"cel(bool true)cel"},
    {R"cel(self.nope || self.t)cel", R"cel(bool true)cel"},
    {R"cel(self.f && self.nope)cel", R"cel(bool false)cel"},
    {R"cel(self.nope && self.f)cel", R"cel(bool false)cel"},
    {R"cel(self.nope && self.t)cel", R"cel(ERROR no such key: nope)cel"},
    {R"cel(self.f || self.nope)cel", R"cel(ERROR no such key: nope)cel"},
    {R"cel(self.i && self.t)cel", R"cel(ERROR no such overload)cel"},
    {R"cel(self.t || self.i)cel", R"cel(bool true)cel"},
    {R"cel(self.f || self.i)cel", R"cel(ERROR no such overload)cel"},
    {R"cel(self.t ? 1 : self.nope)cel", R"cel(int 1)cel"},
    {R"cel(self.i ? 1 : 2)cel", R"cel(ERROR no such overload)cel"},
    {R"cel(self.nope ? 1 : 2)cel", R"cel(ERROR no such key: nope)cel"},
    {R"cel(1 in self.l)cel", R"cel(bool true)cel"},
    {R"cel("a" in self.m)cel", R"cel(bool true)cel"},
    {R"cel(5 in self.l)cel", R"cel(bool false)cel"},
    {R"cel(1.0 in self.l)cel", R"cel(bool true)cel"},
    {R"cel("a" in self.s)cel", R"cel(ERROR no such overload)cel"},
    {R"cel(self.nope in self.l)cel", R"cel(ERROR no such key: nope)cel"},
    {R"cel("a" in self.mix)cel", R"cel(bool true)cel"},
    {R"cel([1,2,3] == self.l)cel", R"cel(bool true)cel"},
    {R"cel({"a": 1, "b": 2} == self.m)cel", R"cel(bool true)cel"},
    {R"cel(self.z == null)cel", R"cel(bool true)cel"},
    {R"cel(self.z == 1)cel", R"cel(bool false)cel"},
    {R"cel(self.z)cel", R"cel(null_type null)cel"},
    {R"cel(self.l.all(x, x > 0))cel", R"cel(bool true)cel"},
    {R"cel(self.l.all(x, x > 1))cel", R"cel(bool false)cel"},
    {R"cel(self.l.exists(x, x > 2))cel", R"cel(bool true)cel"},
    {R"cel(self.l.exists_one(x, x > 2))cel", R"cel(bool true)cel"},
    {R"cel(self.l.exists_one(x, x > 1))cel", R"cel(bool false)cel"},
    {R"cel(self.l.filter(x, x > 1))cel", R"cel(list [2,3])cel"},
    {R"cel(self.l.map(x, x * 2))cel", R"cel(list [2,4,6])cel"},
    {R"cel(self.l.map(x, x > 1, x * 2))cel", R"cel(list [4,6])cel"},
    {R"cel(self.m.all(k, self.m[k] > 0))cel", R"cel(bool true)cel"},
    {R"cel(self.m.map(k, k))cel", R"cel(list ["a","b"])cel"},
    {R"cel(self.m.exists(k, k == "b"))cel", R"cel(bool true)cel"},
    {R"cel(self.l.all(x, self.nope))cel", R"cel(ERROR no such key: nope)cel"},
    {R"cel(self.l.all(x, x > 1 && self.nope))cel", R"cel(bool false)cel"},
    {R"cel(self.l.all(x, 1 / (x - 2) > 0))cel", R"cel(bool false)cel"},
    {R"cel(self.l.exists(x, 1 / (x - 1) > 0))cel", R"cel(bool true)cel"},
    {R"cel(self.l.exists(x, 1 / (x - 1) < 0))cel", R"cel(ERROR division by zero)cel"},
    {R"cel(self.l.all(x, x))cel", R"cel(ERROR no such overload)cel"},
    {R"cel(self.l.filter(x, x))cel", R"cel(ERROR no such overload)cel"},
    {R"cel(self.l.filter(x, 1/0 == 1))cel", R"cel(ERROR division by zero)cel"},
    {R"cel(self.l.map(x, 1/(x-1)))cel", R"cel(ERROR division by zero)cel"},
    {R"cel(self.l.exists_one(x, 1/(x-1) == 1))cel", R"cel(ERROR division by zero)cel"},
    {R"cel(self.s.all(x, x))cel", R"cel(ERROR got 'types.String', expected iterable type)cel"},
    {R"cel(self.i.all(x, x))cel", R"cel(ERROR got 'types.Int', expected iterable type)cel"},
    {R"cel([].all(x, x > 0))cel", R"cel(bool true)cel"},
    {R"cel([].exists(x, x > 0))cel", R"cel(bool false)cel"},
    {R"cel(size(self.s))cel", R"cel(int 12)cel"},
    {R"cel(size(self.u8))cel", R"cel(int 11)cel"},
    {R"cel(self.l.size())cel", R"cel(int 3)cel"},
    {R"cel(size(self.m))cel", R"cel(int 2)cel"},
    {R"cel(size(self.i))cel", R"cel(ERROR no such overload: size)cel"},
    {R"cel(self.u8.size())cel", R"cel(int 11)cel"},
    {R"cel(size(b"abc"))cel", R"cel(int 3)cel"},
    {R"cel(self.s.startsWith("Hel"))cel", R"cel(bool true)cel"},
    {R"cel(self.s.endsWith("ld"))cel", R"cel(bool true)cel"},
    {R"cel(self.s.contains("lo, "))cel", R"cel(bool true)cel"},
    {R"cel(self.s.matches("^H.*d$"))cel", R"cel(bool true)cel"},
    {R"cel(self.s.matches("o"))cel", R"cel(bool true)cel"},
    {R"cel(self.s.matches("("))cel", R"cel(COMPILE)cel"},
    {R"cel(matches(self.s, "o"))cel", R"cel(bool true)cel"},
    {R"cel(self.i.startsWith("a"))cel", R"cel(ERROR no such overload)cel"},
    {R"cel(self.s.split(", "))cel", R"cel(list ["Hello","World"])cel"},
    {R"cel(self.s.split(""))cel", R"cel(list ["H","e","l","l","o",","," ","W","o","r","l","d"])cel"},
    {R"cel(self.s.split("o", 1))cel", R"cel(list ["Hello, World"])cel"},
    {R"cel(self.s.split("o", 2))cel", R"cel(list ["Hell",", World"])cel"},
    {R"cel(self.s.split("o", 0))cel", R"cel(list [])cel"},
    {R"cel(self.s.split("o", -1))cel", R"cel(list ["Hell",", W","rld"])cel"},
    {R"cel(self.e.split("x"))cel", R"cel(list [""])cel"},
    {R"cel(self.e.split(""))cel", R"cel(list [])cel"},
    {R"cel(self.s.lowerAscii())cel", R"cel(string "hello, world")cel"},
    {R"cel(self.u8.upperAscii())cel", R"cel(string "HéLLO WöRLD")cel"},
    {R"cel(self.s.indexOf("o"))cel", R"cel(int 4)cel"},
    {R"cel(self.s.indexOf("o", 5))cel", R"cel(int 8)cel"},
    {R"cel(self.s.indexOf("zz"))cel", R"cel(int -1)cel"},
    {R"cel(self.s.indexOf(""))cel", R"cel(int 0)cel"},
    {R"cel(self.s.indexOf("", 20))cel", R"cel(int 20)cel"},
    {R"cel(self.s.indexOf("o", -1))cel", R"cel(ERROR index out of range: -1)cel"},
    {R"cel(self.s.indexOf("o", 12))cel", R"cel(int -1)cel"},
    {R"cel(self.s.indexOf("o", 13))cel", R"cel(int -1)cel"},
    {R"cel(self.s.lastIndexOf("o"))cel", R"cel(int 8)cel"},
    {R"cel(self.s.lastIndexOf("o", 7))cel", R"cel(int 4)cel"},
    {R"cel(self.s.lastIndexOf("o", 40))cel", R"cel(int -1)cel"},
    {R"cel(self.s.lastIndexOf(""))cel", R"cel(int 12)cel"},
    {R"cel(self.u8.indexOf("w"))cel", R"cel(int 6)cel"},
    {R"cel(self.s.replace("o", "0"))cel", R"cel(string "Hell0, W0rld")cel"},
    {R"cel(self.s.replace("o", "0", 1))cel", R"cel(string "Hell0, World")cel"},
    {R"cel(self.s.replace("o", "0", 0))cel", R"cel(string "Hello, World")cel"},
    {R"cel(self.s.replace("o", "0", -1))cel", R"cel(string "Hell0, W0rld")cel"},
    {R"cel(self.s.replace("", "-"))cel", R"cel(string "-H-e-l-l-o-,- -W-o-r-l-d-")cel"},
    {R"cel(self.s.replace("", "-", 2))cel", R"cel(string "-H-ello, World")cel"},
    {R"cel(self.s.substring(7))cel", R"cel(string "World")cel"},
    {R"cel(self.s.substring(0, 5))cel", R"cel(string "Hello")cel"},
    {R"cel(self.s.substring(5, 2))cel", R"cel(ERROR invalid substring range. start: 5, end: 2)cel"},
    {R"cel(self.s.substring(40))cel", R"cel(ERROR index out of range: 40)cel"},
    {R"cel(self.s.substring(-1))cel", R"cel(ERROR index out of range: -1)cel"},
    {R"cel(self.u8.substring(1, 2))cel", R"cel(string "é")cel"},
    {R"cel(self.s.charAt(0))cel", R"cel(string "H")cel"},
    {R"cel(self.s.charAt(12))cel", R"cel(string "")cel"},
    {R"cel(self.s.charAt(13))cel", R"cel(ERROR index out of range: 13)cel"},
    {R"cel(self.u8.charAt(1))cel", R"cel(string "é")cel"},
    {R"cel("  a b \t\n".trim())cel", R"cel(string "a b")cel"},
    {R"cel(self.s.find("[A-Z]\\w+"))cel", R"cel(string "Hello")cel"},
    {R"cel(self.s.find("xyz"))cel", R"cel(string "")cel"},
    {R"cel(self.s.findAll("[A-Z]\\w+"))cel", R"cel(list ["Hello","World"])cel"},
    {R"cel(self.s.findAll("[A-Z]\\w+", 1))cel", R"cel(list ["Hello"])cel"},
    {R"cel(self.s.findAll("[A-Z]\\w+", 0))cel", R"cel(list [])cel"},
    {R"cel(self.s.findAll("[A-Z]\\w+", -1))cel", R"cel(list ["Hello","World"])cel"},
    {R"cel(self.ls.join())cel", R"cel(string "bac")cel"},
    {R"cel(self.ls.join("-"))cel", R"cel(string "b-a-c")cel"},
    {R"cel(self.l.join())cel", R"cel(ERROR no such overload: join(list))cel"},
    {R"cel(self.num.toInt())cel", R"cel(COMPILE)cel"},
    {R"cel(int(self.num))cel", R"cel(int 42)cel"},
    {R"cel(int(self.s))cel", R"cel(ERROR type conversion error from 'string' to 'int')cel"},
    {R"cel(int(self.d))cel", R"cel(int 2)cel"},
    {R"cel(int(-2.7))cel", R"cel(int -2)cel"},
    {R"cel(int(1e19))cel", R"cel(ERROR integer overflow)cel"},
    {R"cel(int(3u))cel", R"cel(int 3)cel"},
    {R"cel(int(18446744073709551615u))cel", R"cel(ERROR integer overflow)cel"},
    {R"cel(int(timestamp(self.ts)))cel", R"cel(int 1709212455)cel"},
    {R"cel(int(self.t))cel", R"cel(ERROR no such overload: int(bool))cel"},
    {R"cel(int("0x10"))cel", R"cel(ERROR type conversion error from 'string' to 'int')cel"},
    {R"cel(int(" 1"))cel", R"cel(ERROR type conversion error from 'string' to 'int')cel"},
    {R"cel(int("+5"))cel", R"cel(int 5)cel"},
    {R"cel(int("1.0"))cel", R"cel(ERROR type conversion error from 'string' to 'int')cel"},
    {R"cel(uint(self.i))cel", R"cel(uint 3)cel"},
    {R"cel(uint(self.n))cel", R"cel(ERROR unsigned integer overflow)cel"},
    {R"cel(uint("7"))cel", R"cel(uint 7)cel"},
    {R"cel(uint("-7"))cel", R"cel(ERROR type conversion error from 'string' to 'uint')cel"},
    {R"cel(uint(2.9))cel", R"cel(uint 2)cel"},
    {R"cel(uint(-0.5))cel", R"cel(ERROR unsigned integer overflow)cel"},
    {R"cel(double(self.i))cel", R"cel(double 3)cel"},
    {R"cel(double("2.5e3"))cel", R"cel(double 2500)cel"},
    {R"cel(double("abc"))cel", R"cel(ERROR type conversion error from 'string' to 'double')cel"},
    {R"cel(double("Infinity"))cel", R"cel(double inf)cel"},
    {R"cel(string(self.i))cel", R"cel(string "3")cel"},
    {R"cel(string(self.d))cel", R"cel(string "2.5")cel"},
    {R"cel(string(1e21))cel", R"cel(string "1e+21")cel"},
    {R"cel(string(1000000.0))cel", R"cel(string "1e+06")cel"},
    {R"cel(string(0.000001))cel", R"cel(string "1e-06")cel"},
    {R"cel(string(0.1))cel", R"cel(string "0.1")cel"},
    {R"cel(string(2.0))cel", R"cel(string "2")cel"},
    {R"cel(string(3u))cel", R"cel(string "3")cel"},
    {R"cel(string(self.t))cel", R"cel(string "true")cel"},
    {R"cel(string(b"abc"))cel", R"cel(string "abc")cel"},
    {R"cel(string(duration(self.dur)))cel", R"cel(string "5400s")cel"},
    {R"cel(string(timestamp(self.ts)))cel", R"cel(string "2024-02-29T13:14:15.678Z")cel"},
    {R"cel(string(self.l))cel", R"cel(ERROR no such overload: string(list))cel"},
    {R"cel(string(null))cel", R"cel(ERROR no such overload: string(null_type))cel"},
    {R"cel(bool("true"))cel", R"cel(bool true)cel"},
    {R"cel(bool("TRUE"))cel", R"cel(bool true)cel"},
    {R"cel(bool("t"))cel", R"cel(bool true)cel"},
    {R"cel(bool("yes"))cel", R"cel(ERROR type conversion error from 'string' to 'bool')cel"},
    {R"cel(bool("1"))cel", R"cel(bool true)cel"},
    {R"cel(bytes("abc"))cel", R"cel(bytes "YWJj")cel"},
    {R"cel(bytes(self.i))cel", R"cel(ERROR no such overload: bytes(int))cel"},
    {R"cel(type(self.i))cel", R"cel(type(int))cel"},
    {R"cel(type(self.i) == int)cel", R"cel(bool true)cel"},
    {R"cel(type(self.s) == string)cel", R"cel(bool true)cel"},
    {R"cel(type(self.l) == list)cel", R"cel(bool true)cel"},
    {R"cel(type(self.m) == map)cel", R"cel(bool true)cel"},
    {R"cel(type(self.z) == null_type)cel", R"cel(bool true)cel"},
    {R"cel(type(int) == type)cel", R"cel(bool true)cel"},
    {R"cel(type(self.d) == double)cel", R"cel(bool true)cel"},
    {R"cel(type(duration("1s")) == google.protobuf.Duration)cel", R"cel(bool true)cel"},
    {R"cel(type(timestamp(self.ts)) == google.protobuf.Timestamp)cel", R"cel(bool true)cel"},
    {R"cel(dyn(self.i) + 1)cel", R"cel(int 4)cel"},
    {R"cel(duration(self.dur) > duration("1h"))cel", R"cel(bool true)cel"},
    {R"cel(duration(self.dur) + duration("30m"))cel", R"cel(google.protobuf.Duration "7200s")cel"},
    {R"cel(duration("1x"))cel", R"cel(COMPILE)cel"},
    {R"cel(duration(""))cel", R"cel(COMPILE)cel"},
    {R"cel(duration("-1.5h"))cel", R"cel(google.protobuf.Duration "-5400s")cel"},
    {R"cel(duration("1d"))cel", R"cel(COMPILE)cel"},
    {R"cel(duration("100"))cel", R"cel(COMPILE)cel"},
    {R"cel(duration("0"))cel", R"cel(google.protobuf.Duration "0s")cel"},
    {R"cel(duration(self.dur).getHours())cel", R"cel(int 1)cel"},
    {R"cel(duration(self.dur).getMinutes())cel", R"cel(int 90)cel"},
    {R"cel(duration(self.dur).getSeconds())cel", R"cel(int 5400)cel"},
    {R"cel(duration("1.5s").getMilliseconds())cel", R"cel(int 1500)cel"},
    {R"cel(duration("300000000000s"))cel", R"cel(COMPILE)cel"},
    {R"cel(timestamp(self.ts).getFullYear())cel", R"cel(int 2024)cel"},
    {R"cel(timestamp(self.ts).getMonth())cel", R"cel(int 1)cel"},
    {R"cel(timestamp(self.ts).getDayOfMonth())cel", R"cel(int 28)cel"},
    {R"cel(timestamp(self.ts).getDate())cel", R"cel(int 29)cel"},
    {R"cel(timestamp(self.ts).getDayOfYear())cel", R"cel(int 59)cel"},
    {R"cel(timestamp(self.ts).getDayOfWeek())cel", R"cel(int 4)cel"},
    {R"cel(timestamp(self.ts).getHours())cel", R"cel(int 13)cel"},
    {R"cel(timestamp(self.ts).getMinutes())cel", R"cel(int 14)cel"},
    {R"cel(timestamp(self.ts).getSeconds())cel", R"cel(int 15)cel"},
    {R"cel(timestamp(self.ts).getMilliseconds())cel", R"cel(int 678)cel"},
    {R"cel(timestamp(self.ts).getHours("02:00"))cel", R"cel(int 15)cel"},
    {R"cel(timestamp(self.ts) + duration("24h"))cel", R"cel(google.protobuf.Timestamp "2024-03-01T13:14:15.678Z")cel"},
    {R"cel(timestamp(self.ts) - duration("24h"))cel", R"cel(google.protobuf.Timestamp "2024-02-28T13:14:15.678Z")cel"},
    {R"cel(timestamp(self.ts) - timestamp("2024-02-29T13:14:15Z"))cel", R"cel(google.protobuf.Duration "0.678s")cel"},
    {R"cel(timestamp("2024-02-30T00:00:00Z"))cel", R"cel(COMPILE)cel"},
    {R"cel(timestamp("2024-02-29"))cel", R"cel(COMPILE)cel"},
    {R"cel(timestamp(1700000000))cel", R"cel(google.protobuf.Timestamp "2023-11-14T22:13:20Z")cel"},
    {R"cel(duration(self.dur) == duration("90m"))cel", R"cel(bool true)cel"},
    {R"cel(self.ls.isSorted())cel", R"cel(bool false)cel"},
    {R"cel(self.l.isSorted())cel", R"cel(bool true)cel"},
    {R"cel(self.l.sum())cel", R"cel(int 6)cel"},
    {R"cel(self.l.min())cel", R"cel(int 1)cel"},
    {R"cel(self.l.max())cel", R"cel(int 3)cel"},
    {R"cel(self.ls.max())cel", R"cel(string "c")cel"},
    {R"cel([].sum())cel", R"cel(int 0)cel"},
    {R"cel(self.l.filter(x, x > 9).max())cel", R"cel(ERROR max called on empty list)cel"},
    {R"cel(self.l.indexOf(2))cel", R"cel(int 1)cel"},
    {R"cel(self.l.indexOf(9))cel", R"cel(int -1)cel"},
    {R"cel(self.ls.lastIndexOf("a"))cel", R"cel(int 1)cel"},
    {R"cel(sets.contains(self.l, [1, 2]))cel", R"cel(bool true)cel"},
    {R"cel(sets.intersects(self.l, [9, 2]))cel", R"cel(bool true)cel"},
    {R"cel(sets.equivalent(self.l, [3, 2, 1, 1]))cel", R"cel(bool true)cel"},
    {R"cel(quantity("1Gi").isGreaterThan(quantity("1G")))cel", R"cel(bool true)cel"},
    {R"cel(isQuantity("12x"))cel", R"cel(bool false)cel"},
    {R"cel(quantity("2k").asInteger())cel", R"cel(int 2000)cel"},
    {R"cel(quantity("1Gi").compareTo(quantity("1Gi")))cel", R"cel(int 0)cel"},
    {R"cel(quantity("a"))cel",
     R"cel(ERROR quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$')cel"},
    {R"cel(self.x.y.k)cel", R"cel(string "v")cel"},
    {R"cel(self.x["y"].k)cel", R"cel(string "v")cel"},
    {R"cel(optional.of(1).hasValue())cel", R"cel(bool true)cel"},
    {R"cel(optional.none().orValue(4))cel", R"cel(int 4)cel"},
    {R"cel({"a": 1}.a)cel", R"cel(int 1)cel"},
    {R"cel({"a": 1, "a": 2})cel", R"cel(map {"a":2})cel"},
    {R"cel({1: "x"}[1])cel", R"cel(string "x")cel"},
    {R"cel({"a": 1}.b)cel", R"cel(ERROR no such key: b)cel"},
    {R"cel("a" < "b")cel", R"cel(bool true)cel"},
    {R"cel(b"a" < b"b")cel", R"cel(bool true)cel"},
    {R"cel(true < false)cel", R"cel(bool false)cel"},
    {R"cel(true == true && "x" != "y")cel", R"cel(bool true)cel"},
    {R"cel("\u00e9\x41\101")cel", R"cel(string "éAA")cel"},
    {R"cel(r"\d")cel", R"cel(string "\\d")cel"},
    {R"cel('it\'s')cel", R"cel(string "it's")cel"},
    {R"cel(1.5e3 > 100.0)cel", R"cel(bool true)cel"},
    {R"cel(0x1F)cel", R"cel(int 31)cel"},
    {R"cel(1u + 2u)cel", R"cel(uint 3)cel"},
    {R"cel(1u - 2u)cel", R"cel(ERROR unsigned integer overflow)cel"},
    {R"cel(3u * 4u)cel", R"cel(uint 12)cel"},
    {R"cel(7u / 2u)cel", R"cel(uint 3)cel"},
    {R"cel(7u % 0u)cel", R"cel(ERROR modulus by zero)cel"},
    {R"cel(18446744073709551615u + 1u)cel", R"cel(ERROR unsigned integer overflow)cel"},
    {R"cel(5 > 3u)cel", R"cel(bool true)cel"},
    {R"cel(-1 < 1u)cel", R"cel(bool true)cel"},
    {R"cel(2.5 > 2u)cel", R"cel(bool true)cel"},
    {R"cel(self.l == [1.0, 2.0, 3.0])cel", R"cel(bool true)cel"},
    {R"cel(self.l != [1, 2])cel", R"cel(bool true)cel"},
    {R"cel(nope)cel", R"cel(COMPILE)cel"},
    {R"cel(nope.a)cel", R"cel(COMPILE)cel"},
    {R"cel(nope())cel", R"cel(COMPILE)cel"},
    {R"cel(self.nofunc())cel", R"cel(COMPILE)cel"},
    {R"cel(self.l.size(1))cel", R"cel(COMPILE)cel"},
    {R"cel(self.s.contains())cel", R"cel(COMPILE)cel"},
    {R"cel(1 +)cel", R"cel(COMPILE)cel"},
    {R"cel((1)cel", R"cel(COMPILE)cel"},
    {R"cel(self.)cel", R"cel(COMPILE)cel"},
    {R"cel(1 2)cel", R"cel(COMPILE)cel"},
    {R"cel(self.all(x))cel", R"cel(COMPILE)cel"},
    {R"cel(self.l.all(1, true))cel", R"cel(COMPILE)cel"},
    {R"cel(has(self))cel", R"cel(COMPILE)cel"},
    {R"cel(has(self["m"]))cel", R"cel(COMPILE)cel"},
    {R"cel("abc)cel", R"cel(COMPILE)cel"},
    {R"cel('a' ? 1 : 2)cel", R"cel(COMPILE)cel"},
    {R"cel([1, 2, 3].exists(x, x == 2) && ![4].exists(y, y == 5))cel", R"cel(bool true)cel"},
    {R"cel(cel.bind(a, 1, a + 1))cel", R"cel(COMPILE)cel"},
    {R"cel(self.s.size() > 5 ? "long" : "short")cel", R"cel(string "long")cel"},
    {R"cel(// comment only)cel", R"cel(COMPILE)cel"},
    {R"cel(self.i // trailing)cel", R"cel(int 3)cel"},
    {R"cel(!(!self.t))cel", R"cel(bool true)cel"},
    {R"cel(!!self.t)cel", R"cel(bool true)cel"},
    {R"cel(--self.i)cel", R"cel(int 3)cel"},
    {R"cel(- -1)cel", R"cel(int 1)cel"},
    {R"cel(self.i == self.i == true)cel", R"cel(bool true)cel"},
    {R"cel(1 < 2 < 3)cel", R"cel(COMPILE)cel"},
    {R"cel(self.t == self.i < 5)cel", R"cel(COMPILE)cel"},
    {R"cel(math.greatest(1, 2))cel", R"cel(COMPILE)cel"},
    {R"cel(self.i in [1,2,3] ? "y" : "n")cel", R"cel(string "y")cel"},
    {R"cel(self.mix[1] + "b")cel", R"cel(string "ab")cel"},
    {R"cel(self.d == 2.5)cel", R"cel(bool true)cel"},
    {R"cel(self.d > 2)cel", R"cel(bool true)cel"},
    {R"cel(double(self.i) / 2.0)cel", R"cel(double 1.5)cel"},
    {R"cel(self.l.map(x, x + 0.5))cel", R"cel(ERROR no such overload)cel"},
    {R"cel(self.l[0u])cel", R"cel(int 1)cel"},
    {R"cel(self.m.size() == 2)cel", R"cel(bool true)cel"},
    {R"cel(null == null)cel", R"cel(bool true)cel"},
    {R"cel([null] == [null])cel", R"cel(bool true)cel"},
    {R"cel(self.big == 9223372036854775807.0)cel", R"cel(bool true)cel"},
    {R"cel(9223372036854775808)cel", R"cel(COMPILE)cel"},
    {R"cel(-9223372036854775808)cel", R"cel(int -9223372036854775808)cel"},
    {R"cel(1e400)cel", R"cel(COMPILE)cel"},
    {R"cel(0u)cel", R"cel(uint 0)cel"},
    {R"cel(!!self.z == null)cel", R"cel(bool true)cel"},
    {R"cel(--self.s)cel", R"cel(string "Hello, World")cel"},
    {R"cel(---self.i)cel", R"cel(int -3)cel"},
    {R"cel(!-self.i)cel", R"cel(COMPILE)cel"},
    {R"cel('Hello'.findAll('l*'))cel", R"cel(list ["","","ll",""])cel"},
    {R"cel('ö'.findAll('l*'))cel", R"cel(list ["",""])cel"},
    {R"cel('Hello'.lastIndexOf('o', 5))cel", R"cel(int -1)cel"},
    {R"cel('Hello'.lastIndexOf('o', 4))cel", R"cel(int 4)cel"},
    {R"cel(self.ll.sum())cel", R"cel(ERROR no such overload: sum(list))cel"},
    {R"cel(quantity("1.5").isInteger() || quantity("2k").sign() != 1)cel", R"cel(bool false)cel"},
    {R"cel(quantity("1.5").asInteger())cel", R"cel(ERROR cannot convert value to integer)cel"},
    {R"cel(optional.none().value())cel", R"cel(ERROR optional.none() dereference)cel"},
    {R"cel(optional.none().or(optional.of(7)).value())cel", R"cel(int 7)cel"},
    {R"cel(b'a' + b'b' == b'ab' && type(b'') == bytes)cel", R"cel(bool true)cel"},
};
// clang-format on

TEST(Cel, DoesWhatCelGoDoes) {
  for (const Row& row : kRows) EXPECT_EQ(run(row.expression), row.result) << row.expression;
}

TEST(Cel, MultiLineStringsAndComments) {
  EXPECT_EQ(run("\"\"\"two\nlines\"\"\" // and a comment"), R"(string "two\nlines")");
  EXPECT_EQ(run("// first\n self.i // second"), "int 3");
  EXPECT_EQ(run("'''it's'''"), R"(string "it's")");
  EXPECT_EQ(run("'a\nb'"), "COMPILE");  // a newline ends a string with single quotes
}

TEST(Cel, CompileErrorsNameThePlace) {
  constexpr Row rows[] = {
      {"1 +", "<input>:1:4: Syntax error: mismatched input '<EOF>'"},
      {"(1", "<input>:1:3: Syntax error: missing ')' at '<EOF>'"},
      {"1 2", "<input>:1:3: Syntax error: extraneous input '2'"},
      {"self.\n  l.\n  bogus()", "<input>:3:3: undeclared reference to 'bogus'"},
      {"nope.a", "<input>:1:1: undeclared reference to 'nope'"},
      {"self.l.all(1, true)", "<input>:1:12: argument must be a simple name"},
      {"has(self)", "<input>:1:5: invalid argument to has() macro"},
      {"self.s.matches('(')", "<input>:1:16: invalid matches argument: missing ): ("},
      {"duration('1x')", "<input>:1:10: invalid duration argument"},
      {"self.l.size(1)", "<input>:1:8: found no matching overload for 'size' with 1 argument"},
      {"1 < 2 < 3", "<input>:1:7: found no matching overload for '_<_' applied to '(bool, int)'"},
      {"'abc", "<input>:1:1: Syntax error: the string has no end"},
      {"'\\q'", "<input>:1:2: Syntax error: bad escape in a string"},
      {"for", "<input>:1:1: Syntax error: 'for' is a reserved word"},
      {"9223372036854775808", "<input>:1:1: invalid int literal"},
      {"self @ 1", "<input>:1:6: Syntax error: token recognition error at: '@'"},
  };
  for (const Row& row : rows) EXPECT_EQ(compile_error(row.expression), row.result) << row.expression;
}

DeclPtr of(DeclType::Kind kind, DeclPtr element = nullptr) {
  auto out = std::make_shared<DeclType>();
  out->kind = kind;
  out->element = std::move(element);
  return out;
}

DeclPtr typed_self() {
  using Kind = DeclType::Kind;
  auto out = std::make_shared<DeclType>();
  out->kind = Kind::kObject;
  out->fields["count"] = {"count", of(Kind::kInt)};
  out->fields["name"] = {"name", of(Kind::kString)};
  out->fields["labels"] = {"labels", of(Kind::kMap, of(Kind::kString))};
  out->fields["sizes"] = {"sizes", of(Kind::kList, of(Kind::kInt))};
  out->fields["price"] = {"price", of(Kind::kDouble)};
  out->fields["my__dash__field"] = {"my-field", of(Kind::kString)};
  out->fields["__namespace__"] = {"namespace", of(Kind::kString)};
  out->fields["either"] = {"either", of(Kind::kIntOrString)};
  out->fields["since"] = {"since", of(Kind::kTimestamp)};
  return out;
}

TEST(Cel, TheSchemaIsCheckedAtCompileTime) {
  constexpr Row rows[] = {
      {"self.count == 1", ""},
      {"self.labels.anything == 'x'", ""},
      {"self.either + 1 == 2", ""},
      {"self.namespace == 'a' && self.__namespace__ == 'a'", ""},
      {"self.my__dash__field == ''", ""},
      {"self.price > self.count", ""},
      {"self.cuont == 1", "<input>:1:5: undefined field 'cuont'"},
      {"has(self.cuont)", "<input>:1:9: undefined field 'cuont'"},
      {"self.name.first == ''", "<input>:1:10: type 'string' does not support field selection"},
      {"self.name < self.count", "<input>:1:11: found no matching overload for '_<_' applied to '(string, int)'"},
      {"self.count && true", "<input>:1:12: found no matching overload for '_&&_' applied to '(int)'"},
      {"self.sizes.all(x, x)", "<input>:1:12: found no matching overload for 'predicate' applied to '(int)'"},
      {"self.name.all(x, true)", "<input>:1:11: expression of type 'string' cannot be range of a comprehension"},
      {"self.labels.all(k, k + 1 == 2)",
       "<input>:1:22: found no matching overload for '_+_' applied to '(string, int)'"},
  };
  for (const Row& row : rows) EXPECT_EQ(compile_error(row.expression, typed_self()), row.result) << row.expression;
}

TEST(Cel, DocumentsAreReadThroughTheirSchema) {
  const auto type = typed_self();
  const auto result = [&](std::string_view expression, const json::value& self) -> std::string {
    const auto program = Program::compile(expression, {{"self", type}});
    if (!program) return program.error().message;
    Budget budget(kMaxStepsPerCall);
    const Result<Value> out = (*program)->evaluate({*to_cel(self, *type)}, budget);
    return out ? shown(*out) : "ERROR " + out.error().message;
  };
  const json::value good = *json::parse(R"({"count": 2, "price": 3, "my-field": "m", "since": "2024-01-01T00:00:00Z",
                                            "either": "5%", "unknown": 1, "name": null, "labels": {"a": "b"}})");
  EXPECT_EQ(result("self.price", good), "double 3");  // an integer in JSON, a number in the schema
  EXPECT_EQ(result("self.my__dash__field", good), R"(string "m")");
  EXPECT_EQ(result("self.since.getFullYear()", good), "int 2024");
  EXPECT_EQ(result("has(self.name)", good), "bool false");  // null is absent
  EXPECT_EQ(result("self.either", good), R"(string "5%")");
  EXPECT_EQ(result("self.labels['a']", good), R"(string "b")");
  EXPECT_EQ(result("self.sizes", good), "ERROR no such key: sizes");
  const json::value bad = *json::parse(R"({"count": "2", "since": "soon", "sizes": {}, "either": 1.5})");
  EXPECT_EQ(result("self.count", bad), "ERROR invalid data, expected int, got string");
  EXPECT_EQ(result("self.since", bad), "ERROR Invalid date-time formatted string soon");
  EXPECT_EQ(result("self.sizes", bad), "ERROR invalid data, expected an array for the provided schema with type=array");
  EXPECT_EQ(result("self.either", bad),
            "ERROR invalid data, expected XIntOrString value to be either a string or integer");
}

TEST(Cel, VariablesThatAreUsedAreKnown) {
  const auto dyn = std::make_shared<DeclType>();
  const auto program = Program::compile("self.all(oldSelf, oldSelf > 1)", {{"self", dyn}, {"oldSelf", dyn}});
  ASSERT_TRUE(program) << program.error().message;
  EXPECT_TRUE((*program)->uses(0));
  EXPECT_FALSE((*program)->uses(1));  // the name is bound by the macro
}

TEST(Cel, PropertyNamesAreEscaped) {
  constexpr Row rows[] = {
      {"plain", "plain"},
      {"my-prop", "my__dash__prop"},
      {"a.b/c", "a__dot__b__slash__c"},
      {"a__b", "a__underscores__b"},
      {"namespace", "__namespace__"},
      {"in", "__in__"},
      {"$ref", ""},
      {"9lives", ""},
      {"", ""},
  };
  for (const Row& row : rows) EXPECT_EQ(escape(row.expression).value_or(""), row.result) << row.expression;
}

// Each of these would need unlimited time or memory without a limit.
TEST(Cel, WorkIsBounded) {
  const std::string limit = "ERROR operation cancelled: actual cost limit exceeded";
  std::string loops = "true";
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g"})
    loops = "[1,2,3,4,5,6,7,8,9,10].all(" + std::string(name) + ", " + loops + ")";
  EXPECT_EQ(run(loops), limit);
  EXPECT_EQ(run("self.l.all(x, x > 0)", 5), limit);
  EXPECT_EQ(run("true || self.l.all(x, x > 0)", 5), "bool true");
  EXPECT_EQ(run("self.l.all(x, x > 0) || true", 5), limit);  // not absorbed
  std::string doubled = "[1, 2]", text = "'0123456789'", grown = "'ab'";
  for (int i = 0; i < 30; ++i) doubled = "[" + doubled + "].map(x, x + x)[0]";
  EXPECT_EQ(run(doubled), limit);
  for (int i = 0; i < 30; ++i) text = "[" + text + "].map(x, x + x)[0]";
  EXPECT_EQ(run(text), "ERROR the string is too long");
  for (int i = 0; i < 12; ++i) grown += ".replace('', 'xxxxxxxxxx')";
  EXPECT_EQ(run(grown), "ERROR the string is too long");
}

TEST(Cel, NestingIsBounded) {
  const auto nested = [](size_t n) { return std::string(n, '(') + "1" + std::string(n, ')'); };
  EXPECT_EQ(run(nested(200)), "int 1");
  EXPECT_EQ(run(nested(30'000)), "COMPILE");
  EXPECT_EQ(run(nested(100'000)), "COMPILE");                       // more than kMaxExpressionBytes
  EXPECT_EQ(run(std::string(10'001, '!') + "true"), "bool false");  // runs of one operator are flat
  EXPECT_EQ(run(std::string(10'000, '[') + std::string(10'000, ']')), "COMPILE");
  std::string sum = "1", all = "true";
  for (int i = 0; i < 300; ++i) sum += " + 1";
  for (int i = 0; i < 3000; ++i) all += " && true";
  EXPECT_EQ(run(sum), "COMPILE");    // a tree as deep as it is long
  EXPECT_EQ(run(all), "bool true");  // chains of && are flat
}

}  // namespace
}  // namespace tenon::cel
