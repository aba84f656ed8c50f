// SPDX-License-Identifier: Apache-2.0
#include "json/json.h"

#include <boost/json/src.hpp>
#include <charconv>
#include <cmath>

#include "base/check.h"

namespace tenon::json {
namespace {

// Go's encoding/json: shortest form; exponent only below 1e-6 and from 1e21 on.
void write_double(double d, std::string& out) {
  char buffer[64];
  const double size = std::fabs(d);
  const bool exponent = size != 0 && (size < 1e-6 || size >= 1e21);
  const auto format = exponent ? std::chars_format::scientific : std::chars_format::fixed;
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, d, format).ptr;
  std::string_view text(buffer, size_t(end - buffer));
  const size_t e = text.find('e');
  if (e != std::string_view::npos && e + 2 < text.size() && text[e + 1] == '-' && text[e + 2] == '0') {
    out += text.substr(0, e + 2);  // 1e-09 is 1e-9
    out += text.substr(e + 3);
  } else {
    out += text;
  }
}

template <class Integer>
void write_integer(Integer number, std::string& out) {
  char buffer[24];
  out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr);
}

// Other characters than these go out as they came in.
void write_escape(char c, std::string& out) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += '\\';
  switch (c) {
    case '"':
    case '\\': out += c; return;
    case '\b': out += 'b'; return;
    case '\f': out += 'f'; return;
    case '\n': out += 'n'; return;
    case '\r': out += 'r'; return;
    case '\t': out += 't'; return;
    default:
      out += "u00";
      out += kHex[static_cast<unsigned char>(c) >> 4];
      out += kHex[static_cast<unsigned char>(c) & 15];
  }
}

void write_text(std::string_view text, std::string& out) {
  out += '"';
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\') [[likely]]
      continue;
    out.append(text, begin, i - begin);
    write_escape(c, out);
    begin = i + 1;
  }
  out.append(text, begin);
  out += '"';
}

// The library's own serializer is made anew for each value, which costs more than most values.
class Writer {
 public:
  Writer(std::string& out, bool pretty) : out_(out), pretty_(pretty) {}

  void write(const value& v, int depth) {
    switch (v.kind()) {
      case boost::json::kind::null: out_ += "null"; return;
      case boost::json::kind::bool_: out_ += v.get_bool() ? "true" : "false"; return;
      case boost::json::kind::int64: return write_integer(v.get_int64(), out_);
      case boost::json::kind::uint64: return write_integer(v.get_uint64(), out_);
      case boost::json::kind::double_: return write_double(v.get_double(), out_);
      case boost::json::kind::string: return write_text(v.get_string(), out_);
      case boost::json::kind::array: return write_array(v.get_array(), depth);
      case boost::json::kind::object: return write_object(v.get_object(), depth);
    }
  }

 private:
  void write_array(const array& items, int depth) {
    out_ += '[';
    bool first = true;
    for (const value& item : items) {
      separate(first, depth + 1);
      write(item, depth + 1);
    }
    close(']', items.empty(), depth);
  }
  void write_object(const object& members, int depth) {
    out_ += '{';
    bool first = true;
    for (const auto& member : members) {
      separate(first, depth + 1);
      write_text(member.key(), out_);
      out_ += pretty_ ? ": " : ":";
      write(member.value(), depth + 1);
    }
    close('}', members.empty(), depth);
  }
  void separate(bool& first, int depth) {
    if (!first) out_ += ',';
    first = false;
    if (pretty_) newline(depth);
  }
  void close(char bracket, bool empty, int depth) {
    if (pretty_ && !empty) newline(depth);
    out_ += bracket;
  }
  void newline(int depth) {
    out_ += '\n';
    out_.append(size_t(depth) * 2, ' ');
  }

  std::string& out_;
  const bool pretty_;
};

}  // namespace

Result<value> parse(std::string_view text) {
  boost::json::parse_options options;
  options.max_depth = kMaxDepth;
  boost::json::error_code error;
  boost::json::stream_parser parser({}, options);
  const size_t read = parser.write_some(text.data(), text.size(), error);
  if (!error && read < text.size()) error = boost::json::error::extra_data;
  if (!error) parser.finish(error);
  if (error) return fail(Code::kInvalid, "offset " + std::to_string(read) + ": " + error.message());
  return parser.release();
}

std::string to_string(const value& v) {
  std::string out;
  Writer(out, false).write(v, 0);
  return out;
}

std::string to_pretty(const value& v) {
  std::string out;
  Writer(out, true).write(v, 0);
  out += '\n';
  return out;
}

const value* find(const value& v, std::initializer_list<std::string_view> path) {
  const value* at = &v;
  for (const std::string_view key : path) {
    const object* members = at->if_object();
    at = members ? members->if_contains(key) : nullptr;
    if (!at) return nullptr;
  }
  return at;
}

value* find(value& v, std::initializer_list<std::string_view> path) {
  return const_cast<value*>(find(static_cast<const value&>(v), path));
}

std::string_view string_at(const value& v, std::initializer_list<std::string_view> path, std::string_view otherwise) {
  const value* at = find(v, path);
  return at && at->is_string() ? std::string_view(at->get_string()) : otherwise;
}

int64_t int_at(const value& v, std::initializer_list<std::string_view> path, int64_t otherwise) {
  const value* at = find(v, path);
  if (!at) return otherwise;
  if (at->is_int64()) return at->get_int64();
  if (at->is_double() && std::trunc(at->get_double()) == at->get_double() && std::fabs(at->get_double()) < 9e15) {
    return static_cast<int64_t>(at->get_double());
  }
  return otherwise;
}

bool bool_at(const value& v, std::initializer_list<std::string_view> path, bool otherwise) {
  const value* at = find(v, path);
  return at && at->is_bool() ? at->get_bool() : otherwise;
}

const object& object_at(const value& v, std::initializer_list<std::string_view> path) {
  static const object kEmpty;
  const value* at = find(v, path);
  return at && at->is_object() ? at->get_object() : kEmpty;
}

const array& array_at(const value& v, std::initializer_list<std::string_view> path) {
  static const array kEmpty;
  const value* at = find(v, path);
  return at && at->is_array() ? at->get_array() : kEmpty;
}

value& ensure(value& v, std::initializer_list<std::string_view> path) {
  value* at = &v;
  for (const std::string_view key : path) {
    if (at->is_null()) at->emplace_object();
    CHECK(at->is_object(), key);
    at = &at->get_object()[key];
  }
  return *at;
}

void erase(value& v, std::initializer_list<std::string_view> path) {
  value* at = &v;
  size_t left = path.size();
  for (const std::string_view key : path) {
    if (!at->is_object()) return;
    if (--left == 0) {
      at->get_object().stable_erase(key);
      return;
    }
    at = at->get_object().if_contains(key);
    if (!at) return;
  }
}

}  // namespace tenon::json
