// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "json/json.h"
#include "json/yaml.h"
#include "json/yaml_scalar.h"

namespace tenon::json {
namespace {

// Readers limit the distance to the ':' of a key (to 1,024 characters), so longer keys get an explicit '?'.
constexpr size_t kMaxSimpleKey = 128;

// Finds code points that require double quotes: controls, and line breaks and marks of YAML 1.1.
bool needs_escapes(std::string_view text, bool newline_is_fine) {
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '\n' && newline_is_fine) continue;
    if (c < 0x20 || c == 0x7f) return true;
    const std::string_view rest = text.substr(i);
    if (c == 0xc2 && rest.size() > 1 && static_cast<unsigned char>(rest[1]) < 0xa0) return true;  // C1, with NEL
    if (c == 0xe2 && (rest.starts_with("\xe2\x80\xa8") || rest.starts_with("\xe2\x80\xa9"))) return true;
    if (c == 0xef && (rest.starts_with("\xef\xbb\xbf") || rest.starts_with("\xef\xbf"))) return true;
  }
  return false;
}

// Whether the syntax permits the text without quotes.
bool plain_syntax(std::string_view text) {
  if (text.empty() || text.front() == ' ' || text.back() == ' ' || text.back() == ':') return false;
  if (text.starts_with("---") || text.starts_with("...")) return false;
  if (std::string_view(",[]{}#&*!|>'\"%@`").find(text[0]) != std::string_view::npos) return false;
  if (std::string_view("-?:").find(text[0]) != std::string_view::npos && (text.size() == 1 || text[1] == ' '))
    return false;
  return text.find(": ") == std::string_view::npos && text.find(" #") == std::string_view::npos;
}

bool reads_as_string(std::string_view text) {
  bool infinite = false;
  return text != "<<" && resolve_yaml_scalar(text, &infinite).is_string() && !infinite;
}

// Block literals keep lines readable. A first line that starts with white space would need an indentation indicator.
bool literal_syntax(std::string_view text) {
  return text.find('\n') != std::string_view::npos && text.front() != '\n' && text.front() != ' ' &&
         !needs_escapes(text, true);
}

std::string double_quoted(std::string_view text) {
  std::string out = boost::json::serialize(boost::json::string(text));
  // JSON leaves these characters raw; YAML folds or rejects them.
  const auto replace_all = [&out](std::string_view from, std::string_view to) {
    for (size_t at = 0; (at = out.find(from, at)) != std::string::npos; at += to.size())
      out.replace(at, from.size(), to);
  };
  replace_all("\x7f", "\\x7F");
  replace_all("\xe2\x80\xa8", "\\L");
  replace_all("\xe2\x80\xa9", "\\P");
  replace_all("\xef\xbb\xbf", "\\uFEFF");
  replace_all("\xef\xbf\xbe", "\\uFFFE");
  replace_all("\xef\xbf\xbf", "\\uFFFF");
  constexpr std::string_view kHex = "0123456789ABCDEF";
  for (unsigned c = 0x80; c < 0xa0; ++c) {
    const char raw[] = {'\xc2', static_cast<char>(c)};
    const char escaped[] = {'\\', 'x', kHex[c >> 4], kHex[c & 15]};
    replace_all({raw, 2}, {escaped, 4});
  }
  return out;
}

std::string single_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    out += c;
    if (c == '\'') out += c;
  }
  return out + "'";
}

std::string inline_string(std::string_view text) {
  if (needs_escapes(text, false) || !reads_as_string(text)) return double_quoted(text);
  return plain_syntax(text) ? std::string(text) : single_quoted(text);
}

class Writer {
 public:
  std::string take() { return std::move(out_); }

  // Writes a value that starts on the current line, after "key:" or "-", or at the start of a line.
  void write(const value& v, size_t indent) {
    if (const auto* members = v.if_object(); members && !members->empty()) return write_members(*members, indent);
    if (const auto* items = v.if_array(); items && !items->empty()) return write_items(*items, indent);
    write_scalar(v, indent);
  }

 private:
  void write_scalar(const value& v, size_t indent) {
    if (const auto* text = v.if_string()) {
      if (literal_syntax(*text)) return write_literal(*text, std::max<size_t>(indent, 2));
      out_ += inline_string(*text);
    } else {
      out_ += v.is_object() ? "{}" : v.is_array() ? "[]" : to_string(v);
    }
    out_ += '\n';
  }

  void write_literal(std::string_view text, size_t indent) {
    const size_t last = text.find_last_not_of('\n');
    const size_t breaks = text.size() - last - 1;
    out_ += breaks == 0 ? "|-\n" : breaks == 1 ? "|\n" : "|+\n";
    if (breaks > 0) text.remove_suffix(1);
    while (true) {
      const size_t end = text.find('\n');
      const std::string_view line = text.substr(0, end);
      if (!line.empty()) out_.append(indent, ' ') += line;
      out_ += '\n';
      if (end == std::string_view::npos) return;
      text.remove_prefix(end + 1);
    }
  }

  void write_members(const object& members, size_t indent) {
    bool first = true;
    for (const auto& member : members) {
      if (!first) out_.append(indent, ' ');
      first = false;
      const std::string key = inline_string(member.key());
      if (key.size() > kMaxSimpleKey) {
        out_ += "? " + key + "\n";
        out_.append(indent, ' ');
      } else {
        out_ += key;
      }
      out_ += ':';
      write_member(member.value(), indent);
    }
  }

  void write_member(const value& v, size_t indent) {
    if (const auto* members = v.if_object(); members && !members->empty()) {
      out_ += '\n';
      out_.append(indent + 2, ' ');
      return write_members(*members, indent + 2);
    }
    if (const auto* items = v.if_array(); items && !items->empty()) {
      out_ += '\n';
      out_.append(indent, ' ');  // kubectl does not indent lists in mappings
      return write_items(*items, indent);
    }
    out_ += ' ';
    write_scalar(v, indent + 2);
  }

  void write_items(const array& items, size_t indent) {
    bool first = true;
    for (const value& item : items) {
      if (!first) out_.append(indent, ' ');
      first = false;
      out_ += "- ";
      write(item, indent + 2);
    }
  }

  std::string out_;
};

}  // namespace

std::string to_yaml(const value& v) {
  Writer writer;
  writer.write(v, 0);
  return writer.take();
}

}  // namespace tenon::json
