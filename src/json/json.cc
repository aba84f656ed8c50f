// SPDX-License-Identifier: Apache-2.0
#include "json/json.h"

#include <boost/json/src.hpp>
#include <charconv>
#include <cmath>
#include <cstring>
#include <memory>

#include "base/check.h"

namespace tenon::json {
namespace {

// The output so far. Most pieces of a document are short, and std::string needs a function call for each.
class Text {
 public:
  void put(char c) {
    if (at_ == end_) grow(1);
    *at_++ = c;
  }
  void put(std::string_view piece) {
    std::memcpy(room(piece.size()), piece.data(), piece.size());
    at_ += piece.size();
  }
  // Returns room for at least `size` characters; written(n) reports how many were used.
  char* room(size_t size) {
    if (size_t(end_ - at_) < size) grow(size);
    return at_;
  }
  void written(size_t size) { at_ += size; }
  std::string str() const { return {begin_.get(), at_}; }

 private:
  void grow(size_t by) {
    const size_t used = size_t(at_ - begin_.get()), size = 2 * (used + by);
    auto bigger = std::make_unique_for_overwrite<char[]>(size);
    std::memcpy(bigger.get(), begin_.get(), used);
    begin_ = std::move(bigger);
    at_ = begin_.get() + used;
    end_ = begin_.get() + size;
  }

  static constexpr size_t kFirstBytes = 1024;
  std::unique_ptr<char[]> begin_ = std::make_unique_for_overwrite<char[]>(kFirstBytes);
  char* at_ = begin_.get();
  char* end_ = at_ + kFirstBytes;
};

// As Go's encoding/json: shortest form; exponent only below 1e-6 and from 1e21 on.
void write_double(double d, Text& out) {
  char buffer[64];
  const double size = std::fabs(d);
  const bool exponent = size != 0 && (size < 1e-6 || size >= 1e21);
  const auto format = exponent ? std::chars_format::scientific : std::chars_format::fixed;
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, d, format).ptr;
  std::string_view text(buffer, size_t(end - buffer));
  const size_t e = text.find('e');
  if (e != std::string_view::npos && e + 2 < text.size() && text[e + 1] == '-' && text[e + 2] == '0') {
    out.put(text.substr(0, e + 2));  // 1e-09 is 1e-9
    out.put(text.substr(e + 3));
  } else {
    out.put(text);
  }
}

template <class Integer>
void write_integer(Integer number, Text& out) {
  constexpr size_t kMostDigits = 24;
  char* at = out.room(kMostDigits);
  out.written(size_t(std::to_chars(at, at + kMostDigits, number).ptr - at));
}

bool must_escape(char c) { return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\'; }

// Whether any of eight characters must be escaped. The bytes to find become zero (or negative, below a space); the
// highest bit of each byte then marks them.
bool any_must_escape(uint64_t eight) {
  constexpr uint64_t kOnes = 0x0101010101010101, kHigh = 0x80 * kOnes;
  const uint64_t quote = eight ^ ('"' * kOnes), backslash = eight ^ ('\\' * kOnes);
  const uint64_t found =
      ((eight - 0x20 * kOnes) & ~eight) | ((quote - kOnes) & ~quote) | ((backslash - kOnes) & ~backslash);
  return (found & kHigh) != 0;
}

constexpr size_t kMostPerCharacter = 6;  // \u0000

// Writes the escape of a character for which must_escape() holds. Returns the position after it.
char* write_escaped(char c, char* at) {
  constexpr std::string_view kHex = "0123456789abcdef", kLetters = "btn?fr";
  *at++ = '\\';
  if (c == '"' || c == '\\') {
    *at++ = c;
  } else if (c >= '\b' && c <= '\r' && c != '\v') {
    *at++ = kLetters[size_t(c - '\b')];
  } else {
    for (const char digit : {'u', '0', '0', kHex[size_t(c) >> 4], kHex[size_t(c) & 15]}) *at++ = digit;
  }
  return at;
}

void write_text(std::string_view text, Text& out) {
  char* const begin = out.room(text.size() * kMostPerCharacter + 2);
  char* at = begin;
  *at++ = '"';
  const auto write = [&](std::string_view piece) {
    for (const char c : piece) {
      if (must_escape(c))
        at = write_escaped(c, at);
      else
        *at++ = c;
    }
  };
  for (; text.size() >= 8; text.remove_prefix(8)) {
    uint64_t eight;
    std::memcpy(&eight, text.data(), 8);
    if (any_must_escape(eight)) {
      write(text.substr(0, 8));
    } else {
      std::memcpy(at, &eight, 8);
      at += 8;
    }
  }
  write(text);
  *at++ = '"';
  out.written(size_t(at - begin));
}

// Replaces the library's serializer, whose construction for each value costs more than writing most values.
class Writer {
 public:
  Writer(Text& out, bool pretty) : out_(out), pretty_(pretty) {}

  void write(const value& v, int depth) {
    switch (v.kind()) {
      case boost::json::kind::null: return out_.put("null");
      case boost::json::kind::bool_: return out_.put(v.get_bool() ? "true" : "false");
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
    out_.put('[');
    bool first = true;
    for (const value& item : items) {
      separate(first, depth + 1);
      write(item, depth + 1);
    }
    close(']', items.empty(), depth);
  }
  void write_object(const object& members, int depth) {
    out_.put('{');
    bool first = true;
    for (const auto& member : members) {
      separate(first, depth + 1);
      write_text(member.key(), out_);
      out_.put(':');
      if (pretty_) out_.put(' ');
      write(member.value(), depth + 1);
    }
    close('}', members.empty(), depth);
  }
  void separate(bool& first, int depth) {
    if (!first) out_.put(',');
    first = false;
    if (pretty_) newline(depth);
  }
  void close(char bracket, bool empty, int depth) {
    if (pretty_ && !empty) newline(depth);
    out_.put(bracket);
  }
  void newline(int depth) {
    out_.put('\n');
    for (int i = 0; i < depth; ++i) out_.put("  ");
  }

  Text& out_;
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
  Text out;
  Writer(out, false).write(v, 0);
  return out.str();
}

std::string to_pretty(const value& v) {
  Text out;
  Writer(out, true).write(v, 0);
  out.put('\n');
  return out.str();
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
