// SPDX-License-Identifier: Apache-2.0
#include "schema/cel/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tenon::cel {
namespace {

constexpr std::string_view kSymbols[] = {"==", "!=", "<=", ">=", "&&", "||", "<", ">", "+", "-", "*", "/",
                                         "%",  "!",  "?",  ":",  ".",  ",",  "(", ")", "[", "]", "{", "}"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

void append_utf8(uint32_t code, std::string& out) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += {static_cast<char>(0xC0 | (code >> 6)), static_cast<char>(0x80 | (code & 0x3F))};
  } else if (code < 0x10000) {
    out += {static_cast<char>(0xE0 | (code >> 12)), static_cast<char>(0x80 | ((code >> 6) & 0x3F)),
            static_cast<char>(0x80 | (code & 0x3F))};
  } else {
    out += {static_cast<char>(0xF0 | (code >> 18)), static_cast<char>(0x80 | ((code >> 12) & 0x3F)),
            static_cast<char>(0x80 | ((code >> 6) & 0x3F)), static_cast<char>(0x80 | (code & 0x3F))};
  }
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Result<std::vector<Token>> run() {
    std::vector<Token> out;
    while (true) {
      skip_space();
      Token token;
      token.position = at_;
      if (at_ == text_.size()) {
        out.push_back(std::move(token));
        return out;
      }
      const size_t prefix = string_prefix();
      if (prefix != std::string_view::npos) {
        TRY(read_string(token, prefix));
      } else if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) {
        TRY(read_number(token));
      } else if (is_word(peek())) {
        read_word(token);
      } else {
        TRY(read_symbol(token));
      }
      out.push_back(std::move(token));
    }
  }

 private:
  char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void skip_space() {
    while (at_ < text_.size()) {
      if (text_.substr(at_, 2) == "//") {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (std::string_view(" \t\r\n\f").find(text_[at_]) != std::string_view::npos) {
        ++at_;
      } else {
        return;
      }
    }
  }

  // Returns the number of prefix letters (r, b) of a string that starts here; npos if no string starts here.
  size_t string_prefix() const {
    size_t n = 0;
    while (n < 2 && std::string_view("rRbB").find(peek(n)) != std::string_view::npos && peek(n) != '\0') ++n;
    return peek(n) == '"' || peek(n) == '\'' ? n : std::string_view::npos;
  }

  Status read_string(Token& token, size_t prefix) {
    bool raw = false, bytes = false;
    for (size_t i = 0; i < prefix; ++i) {
      const char letter = static_cast<char>(peek(i) | 0x20);
      raw = raw || letter == 'r';
      bytes = bytes || letter == 'b';
    }
    at_ += prefix;
    const std::string_view quote = text_.substr(at_, text_.substr(at_, 3) == std::string(3, peek()) ? 3 : 1);
    at_ += quote.size();
    std::string out;
    while (text_.substr(at_, quote.size()) != quote) {
      if (at_ >= text_.size() || (quote.size() == 1 && peek() == '\n'))
        return syntax_error(text_, token.position, "Syntax error: the string has no end");
      if (peek() == '\\' && !raw) {
        TRY(read_escape(out, bytes));
      } else {
        if (raw && peek() == '\\' && at_ + 1 < text_.size()) out += text_[at_++];  // r"\"" has two characters
        out += text_[at_++];
      }
    }
    at_ += quote.size();
    token.kind = Token::Kind::kLiteral;
    token.literal = bytes ? Value(Bytes{std::move(out)}) : Value(std::move(out));
    return ok();
  }

  Status read_escape(std::string& out, bool bytes) {
    constexpr std::string_view names = "abfnrtv\\?\"'`", values = "\a\b\f\n\r\t\v\\?\"'`";
    const size_t start = at_++;
    const char c = peek();
    if (const size_t simple = c ? names.find(c) : std::string_view::npos; simple != std::string_view::npos) {
      out += values[simple];
      ++at_;
      return ok();
    }
    const bool octal = c >= '0' && c <= '3';
    const size_t digits = octal ? 3 : c == 'x' || c == 'X' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    if (!octal) ++at_;
    uint32_t code = 0;
    for (size_t i = 0; i < digits; ++i, ++at_) {
      const int digit = hex_digit(peek());
      if (digit < 0 || (octal && digit > 7)) return syntax_error(text_, start, "Syntax error: bad escape in a string");
      code = code * (octal ? 8 : 16) + static_cast<uint32_t>(digit);
    }
    if (digits == 0 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000) || (bytes && digits > 3))
      return syntax_error(text_, start, "Syntax error: bad escape in a string");
    if (bytes) {
      out += static_cast<char>(code);
    } else {
      append_utf8(code, out);
    }
    return ok();
  }

  Status read_number(Token& token) {
    token.kind = Token::Kind::kLiteral;
    const bool hex = peek() == '0' && (peek(1) | 0x20) == 'x';
    size_t end = at_ + (hex ? 2 : 0);
    bool real = false;
    const auto digits = [&] {
      while (end < text_.size() && (hex ? hex_digit(text_[end]) >= 0 : is_digit(text_[end]))) ++end;
    };
    digits();
    if (!hex && end + 1 < text_.size() && text_[end] == '.' && is_digit(text_[end + 1])) {
      real = true;
      ++end;
      digits();
    }
    if (!hex && end < text_.size() && (text_[end] | 0x20) == 'e') {
      size_t sign = end + 1;
      if (sign < text_.size() && (text_[sign] == '+' || text_[sign] == '-')) ++sign;
      if (sign < text_.size() && is_digit(text_[sign])) {
        real = true;
        end = sign;
        digits();
      }
    }
    const std::string_view number = text_.substr(at_ + (hex ? 2 : 0), end - at_ - (hex ? 2 : 0));
    at_ = end;
    if (real) return real_literal(token, number);
    return integer_literal(token, number, hex ? 16 : 10);
  }

  Status real_literal(Token& token, std::string_view number) {
    double d = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), d);
    if (error == std::errc::result_out_of_range) return syntax_error(text_, token.position, "invalid double literal");
    token.literal = Value(d);
    return ok();
  }

  // The literal 2^63 without the suffix u is stored as INT64_MIN; the parser accepts it only after a minus.
  Status integer_literal(Token& token, std::string_view number, int base) {
    uint64_t u = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), u, base);
    const bool is_unsigned = (peek() | 0x20) == 'u';
    if (error != std::errc() || number.empty())
      return syntax_error(text_, token.position, is_unsigned ? "invalid uint literal" : "invalid int literal");
    if (is_unsigned) {
      ++at_;
      token.literal = Value(u);
    } else if (u <= static_cast<uint64_t>(INT64_MAX)) {
      token.literal = Value(static_cast<int64_t>(u));
    } else if (u == static_cast<uint64_t>(INT64_MAX) + 1) {
      token.literal = Value(INT64_MIN);  // valid only as the operand of a minus
    } else {
      return syntax_error(text_, token.position, "invalid int literal");
    }
    return ok();
  }

  void read_word(Token& token) {
    size_t end = at_;
    while (end < text_.size() && is_word(text_[end])) ++end;
    token.text = text_.substr(at_, end - at_);
    at_ = end;
    token.kind = Token::Kind::kLiteral;
    if (token.text == "true" || token.text == "false") {
      token.literal = Value(token.text == "true");
    } else if (token.text != "null") {
      token.kind = Token::Kind::kIdentifier;
    }
  }

  Status read_symbol(Token& token) {
    for (const std::string_view symbol : kSymbols) {
      if (text_.substr(at_, symbol.size()) != symbol) continue;
      token.kind = Token::Kind::kSymbol;
      token.text = text_.substr(at_, symbol.size());
      at_ += symbol.size();
      return ok();
    }
    return syntax_error(text_, at_, fmt::format("Syntax error: token recognition error at: '{}'", peek()));
  }

  const std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

tl::unexpected<Error> syntax_error(std::string_view text, size_t position, std::string_view what) {
  const std::string_view before = text.substr(0, position);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const size_t newline = before.rfind('\n');
  const size_t column = newline == std::string_view::npos ? position : position - newline - 1;
  return fail(Code::kInvalid, fmt::format("<input>:{}:{}: {}", line, column + 1, what));
}

Result<std::vector<Token>> tokenize(std::string_view text) { return Lexer(text).run(); }

}  // namespace tenon::cel
