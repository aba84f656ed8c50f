// Functions on strings and regular expressions. Positions are in code points.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "schema/cel/functions.h"

namespace tenon::cel {
namespace {

struct Texts {
  std::string_view a, b, c;
};

// Returns the first n arguments, which must be strings, and charges the budget for reading them.
Result<Texts> texts(const Call& call, size_t n) {
  std::string_view out[3];
  for (size_t i = 0; i < n; ++i) {
    const auto* s = call.args[i].get<std::string>();
    if (!s) return no_such_overload();
    out[i] = *s;
    TRY(spend_text(call.budget, s->size()));
  }
  return Texts{out[0], out[1], out[2]};
}

Result<int64_t> integer(const Call& call, size_t arg, int64_t otherwise) {
  if (arg >= call.args.size()) return otherwise;
  const auto* i = call.args[arg].get<int64_t>();
  if (!i) return no_such_overload();
  return *i;
}

bool starts_code_point(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }
int64_t code_points(std::string_view text) { return std::count_if(text.begin(), text.end(), starts_code_point); }

// Returns the byte offset of code point n, or the size of the text if n is past its end.
size_t offset_of(std::string_view text, int64_t n) {
  size_t i = 0;
  while (i < text.size() && n > 0) {
    ++i;
    while (i < text.size() && !starts_code_point(text[i])) ++i;
    --n;
  }
  return i;
}

tl::unexpected<Error> out_of_range(int64_t index) { return eval_error(fmt::format("index out of range: {}", index)); }

Result<Value> starts_with(const Call& call) {
  const Texts t = TRY(texts(call, 2));
  return Value(t.a.starts_with(t.b));
}
Result<Value> ends_with(const Call& call) {
  const Texts t = TRY(texts(call, 2));
  return Value(t.a.ends_with(t.b));
}
Result<Value> contains(const Call& call) {
  const Texts t = TRY(texts(call, 2));
  return Value(t.a.find(t.b) != std::string_view::npos);
}

// index_of and last_index_of return a position in code points; -1 if the text has no occurrence.
Result<Value> index_of(const Call& call) {
  const Texts t = TRY(texts(call, 2));
  const int64_t from = TRY(integer(call, 2, 0));
  if (t.b.empty()) return Value(from);
  if (from < 0) return out_of_range(from);
  const size_t found = t.a.find(t.b, offset_of(t.a, from));
  return Value(found == std::string_view::npos ? int64_t{-1} : code_points(t.a.substr(0, found)));
}
Result<Value> last_index_of(const Call& call) {
  const Texts t = TRY(texts(call, 2));
  const int64_t length = code_points(t.a);
  const bool whole = call.args.size() < 3;
  const int64_t from = TRY(integer(call, 2, length));
  if (t.b.empty()) return Value(from);
  if (from < 0) return out_of_range(from);
  if (!whole && from >= length) return Value(int64_t{-1});
  const size_t found = t.a.rfind(t.b, offset_of(t.a, from));
  return Value(found == std::string_view::npos ? int64_t{-1} : code_points(t.a.substr(0, found)));
}

Result<Value> char_at(const Call& call) {
  const Texts t = TRY(texts(call, 1));
  const int64_t index = TRY(integer(call, 1, 0));
  if (index < 0 || index > code_points(t.a)) return out_of_range(index);
  const size_t begin = offset_of(t.a, index);
  return make_string(t.a.substr(begin, offset_of(t.a.substr(begin), 1)));
}

Result<Value> substring(const Call& call) {
  const Texts t = TRY(texts(call, 1));
  const int64_t length = code_points(t.a);
  const int64_t begin = TRY(integer(call, 1, 0));
  const int64_t end = TRY(integer(call, 2, length));
  if (call.args.size() > 2 && begin > end)
    return eval_error(fmt::format("invalid substring range. start: {}, end: {}", begin, end));
  if (begin < 0 || begin > length) return out_of_range(begin);
  if (end < 0 || end > length) return out_of_range(end);
  const size_t from = offset_of(t.a, begin);
  return make_string(t.a.substr(from, offset_of(t.a, end) - from));
}

template <char First, char Last>
std::string shift_case(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= First && c <= Last) c = static_cast<char>(c ^ 0x20);
  return out;
}
Result<Value> lower_ascii(const Call& call) { return Value(shift_case<'A', 'Z'>(TRY(texts(call, 1)).a)); }
Result<Value> upper_ascii(const Call& call) { return Value(shift_case<'a', 'z'>(TRY(texts(call, 1)).a)); }

Result<Value> trim_space(const Call& call) {
  constexpr std::string_view space = " \t\n\v\f\r";
  const std::string_view text = TRY(texts(call, 1)).a;
  const size_t begin = text.find_first_not_of(space);
  if (begin == std::string_view::npos) return make_string("");
  return make_string(text.substr(begin, text.find_last_not_of(space) - begin + 1));
}

// Returns at most `limit` pieces between separators (none if 0, all if negative). An empty separator splits into code
// points.
std::vector<std::string_view> pieces(std::string_view text, std::string_view separator, int64_t limit) {
  std::vector<std::string_view> out;
  if (limit == 0 || (separator.empty() && text.empty())) return out;
  while (limit < 0 || static_cast<int64_t>(out.size()) + 1 < limit) {
    const size_t cut = separator.empty() ? offset_of(text, 1) : text.find(separator);
    if (cut == std::string_view::npos || (separator.empty() && cut == text.size())) break;
    out.push_back(text.substr(0, cut));
    text.remove_prefix(cut + separator.size());
  }
  out.push_back(text);
  return out;
}

Result<Value> split_text(const Call& call) {
  const Texts t = TRY(texts(call, 2));
  std::vector<Value> out;
  for (const std::string_view piece : pieces(t.a, t.b, TRY(integer(call, 2, -1)))) out.push_back(make_string(piece));
  TRY(call.budget.spend(static_cast<int64_t>(out.size())));
  return make_list(std::move(out));
}

Result<Value> joined(const Call& call, const std::vector<std::string_view>& parts, std::string_view separator) {
  size_t bytes = 0;
  for (const std::string_view part : parts) bytes += part.size() + separator.size();
  if (bytes > kMaxTextBytes) return eval_error("the string is too long");
  TRY(spend_text(call.budget, bytes));
  std::string out;
  out.reserve(bytes);
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += separator;
    out += parts[i];
  }
  return Value(std::move(out));
}

Result<Value> replace(const Call& call) {
  const Texts t = TRY(texts(call, 3));
  const int64_t limit = TRY(integer(call, 3, -1));
  if (limit == 0) return call.args[0];
  if (!t.b.empty()) return joined(call, pieces(t.a, t.b, limit < 0 ? -1 : limit + 1), t.c);
  // An empty search string matches before every code point and at the end.
  std::vector<std::string_view> parts = {""};
  std::string_view rest = t.a;
  while (!rest.empty() && (limit < 0 || static_cast<int64_t>(parts.size()) < limit)) {
    const size_t cut = offset_of(rest, 1);
    parts.push_back(rest.substr(0, cut));
    rest.remove_prefix(cut);
  }
  parts.push_back(rest);
  return joined(call, parts, t.c);
}

Result<Value> join_list(const Call& call) {
  const auto* list = call.args[0].get<ListPtr>();
  const auto* separator = call.args.size() > 1 ? call.args[1].get<std::string>() : nullptr;
  if (!list || (call.args.size() > 1 && !separator)) return no_such_overload();
  std::vector<Value> items;
  std::vector<std::string_view> parts;
  for (size_t i = 0; i < (*list)->size(); ++i) items.push_back(TRY((*list)->at(i)));
  for (const Value& item : items) {
    const auto* text = item.get<std::string>();
    if (!text) return eval_error("no such overload: join(list)");
    parts.push_back(*text);
  }
  TRY(call.budget.spend(static_cast<int64_t>(parts.size())));
  return joined(call, parts, separator ? std::string_view(*separator) : std::string_view());
}

// Calls `use` with the pattern in args[1]. Compiles the pattern here if it is not a literal.
template <class F>
Result<Value> with_pattern(const Call& call, F use) {
  const Texts t = TRY(texts(call, 2));
  TRY(spend_text(call.budget, t.a.size() * (1 + t.b.size() / 4)));
  if (call.pattern) return use(*call.pattern, t.a);
  const re2::RE2 pattern(re2::StringPiece(t.b.data(), t.b.size()), re2::RE2::Quiet);
  if (!pattern.ok()) return eval_error(fmt::format("error parsing regexp: {}", pattern.error()));
  return use(pattern, t.a);
}

Result<Value> matches(const Call& call) {
  return with_pattern(call, [](const re2::RE2& pattern, std::string_view text) -> Result<Value> {
    return Value(re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), pattern));
  });
}

Result<Value> find(const Call& call) {
  return with_pattern(call, [](const re2::RE2& pattern, std::string_view text) -> Result<Value> {
    re2::StringPiece found;
    if (!pattern.Match(re2::StringPiece(text.data(), text.size()), 0, text.size(), re2::RE2::UNANCHORED, &found, 1))
      return make_string("");
    return make_string(std::string_view(found.data(), found.size()));
  });
}

// Returns the matches that Go finds: no empty match directly after another match.
Result<Value> find_all(const Call& call) {
  const int64_t limit = TRY(integer(call, 2, -1));
  return with_pattern(call, [&](const re2::RE2& pattern, std::string_view text) -> Result<Value> {
    std::vector<Value> out;
    const re2::StringPiece whole(text.data(), text.size());
    size_t at = 0, last_end = std::string_view::npos;
    re2::StringPiece found;
    while ((limit < 0 || static_cast<int64_t>(out.size()) < limit) && at <= text.size() &&
           pattern.Match(whole, at, text.size(), re2::RE2::UNANCHORED, &found, 1)) {
      TRY(spend_text(call.budget, text.size() - at));
      const size_t begin = static_cast<size_t>(found.data() - text.data());
      const size_t end = begin + found.size();
      if (!found.empty() || begin != last_end) out.push_back(make_string(std::string_view(found.data(), found.size())));
      last_end = end;
      at = found.empty() ? end + std::max<size_t>(1, offset_of(text.substr(std::min(end, text.size())), 1)) : end;
    }
    return make_list(std::move(out));
  });
}

constexpr Function kTextFunctions[] = {
    {"startsWith", true, 2, 2, starts_with}, {"endsWith", true, 2, 2, ends_with},
    {"contains", true, 2, 2, contains},      {"matches", true, 2, 2, matches, 1},
    {"matches", false, 2, 2, matches, 1},    {"find", true, 2, 2, find, 1},
    {"findAll", true, 2, 3, find_all, 1},    {"charAt", true, 2, 2, char_at},
    {"substring", true, 2, 3, substring},    {"lowerAscii", true, 1, 1, lower_ascii},
    {"upperAscii", true, 1, 1, upper_ascii}, {"trim", true, 1, 1, trim_space},
    {"split", true, 2, 3, split_text},       {"replace", true, 3, 4, replace},
    {"join", true, 1, 2, join_list},
};

}  // namespace

Result<Value> text_index_of(const Call& call) { return index_of(call); }
Result<Value> text_last_index_of(const Call& call) { return last_index_of(call); }
int64_t text_size(std::string_view text) { return code_points(text); }

std::span<const Function> text_functions() { return kTextFunctions; }

}  // namespace tenon::cel
