// SPDX-License-Identifier: Apache-2.0
#include "json/yaml_block.h"

#include <algorithm>
#include <cstring>

#include "json/json.h"
#include "json/letters.h"
#include "json/yaml.h"
#include "json/yaml_scalar.h"

namespace tenon::json {
namespace {

constexpr size_t kMaxBlocks = 100;     // nesting depth; the other reader, which has its own limit, reads deeper ones
constexpr size_t kMaxKeyBytes = 1000;  // libyaml searches for the ':' of a key within 1,024

bool plain_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c >= ' ' && c < 0x7f) || c == '\n'; });
}

// Whether the first letter excludes numbers and all words with a special meaning.
bool surely_text(std::string_view plain) {
  return is_letter(plain[0]) && std::strchr("yYnNtTfFoO", plain[0]) == nullptr;
}

std::string without_doubled_quotes(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (text[i] == '\'') ++i;
  }
  return out;
}

// Returns the offset of the quote that closes text[0]; npos: none on this line, or a backslash escape.
size_t closing_quote(std::string_view text) {
  if (text[0] == '"') {
    const size_t at = text.find_first_of("\"\\", 1);
    return at != std::string_view::npos && text[at] == '"' ? at : std::string_view::npos;
  }
  size_t at = text.find('\'', 1);
  while (at != std::string_view::npos && at + 1 < text.size() && text[at + 1] == '\'') at = text.find('\'', at + 2);
  return at;
}

class BlockReader {
 public:
  // `depth`: the nesting depth of the block in `text`.
  BlockReader(std::string_view text, size_t depth, Assembler& into) : left_(text), depth_(depth), into_(into) {
    advance();
  }

  bool document() { return has_line_ && block() && !has_line_; }
  bool entry() { return has_line_ && at_dash() && entry(indent_) && !has_line_; }

 private:
  enum class Key { kNone, kFound, kNotTaken };

  // Lines. line_ is the rest of the current line from column indent_ on; left_ holds the lines after it.
  static std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }
  void drop_line() { left_.remove_prefix(std::min(left_.size(), first_line(left_).size() + 1)); }
  void advance() {
    while (!left_.empty()) {
      line_ = first_line(left_);
      drop_line();
      indent_ = line_.find_first_not_of(' ');
      if (indent_ == std::string_view::npos) continue;  // values consume the empty lines after them
      line_.remove_prefix(indent_);
      has_line_ = true;
      return;
    }
    has_line_ = false;
  }
  // Returns whether the next line may belong to a value that began on a line of this indentation.
  bool goes_on(size_t indent) const {
    if (left_.empty()) return false;
    const std::string_view next = first_line(left_);
    const size_t at = next.find_first_not_of(' ');
    return at == std::string_view::npos || at > indent;
  }
  void move_to(size_t offset) {
    indent_ += offset;
    line_.remove_prefix(offset);
  }
  bool at_dash() const { return line_[0] == '-' && (line_.size() == 1 || line_[1] == ' '); }

  bool block() {
    if (++blocks_ > kMaxBlocks) return false;
    const bool taken = at_dash() ? sequence(indent_) : mapping(indent_);
    --blocks_;
    return taken;
  }

  bool sequence(size_t indent) {
    into_.begin(true);
    while (has_line_ && indent_ == indent && at_dash()) {
      if (!entry(indent)) return false;
    }
    into_.end();
    return !has_line_ || indent_ <= indent;
  }

  bool entry(size_t indent) {
    if (line_.size() == 1) return nested_value(indent, false);
    const size_t from = line_.find_first_not_of(' ', 1);
    if (from == std::string_view::npos) return false;
    move_to(from);
    if (at_dash()) return block();
    std::string_view name, rest;
    const Key key = find_key(name, rest);
    if (key == Key::kNotTaken) return false;
    return key == Key::kFound ? block() : scalar(line_, indent, "-");
  }

  bool mapping(size_t indent) {
    into_.begin(false);
    while (has_line_ && indent_ == indent && !at_dash()) {
      std::string_view name, rest;
      if (find_key(name, rest) != Key::kFound || !add_key(name)) return false;
      if (rest.empty()) {
        if (!nested_value(indent, true)) return false;
        continue;
      }
      const size_t from = rest.find_first_not_of(' ');
      if (from == std::string_view::npos || !scalar(rest.substr(from), indent, "k:")) return false;
    }
    into_.end();
    return !has_line_ || indent_ <= indent;
  }

  // Reads the value on the lines below "key:" or "-". A sequence in a mapping may have the mapping's indentation.
  bool nested_value(size_t indent, bool in_mapping) {
    advance();
    if (has_line_ && (indent_ > indent || (in_mapping && indent_ == indent && at_dash()))) return block();
    into_.null();
    return true;
  }

  // Finds the key at the start of the line, with its quotes, and the rest after its ':'.
  Key find_key(std::string_view& name, std::string_view& rest) const {
    const bool quoted = line_[0] == '"' || line_[0] == '\'';
    size_t colon = 0;
    if (quoted) {
      const size_t quote = closing_quote(line_);
      if (quote == std::string_view::npos || quote + 1 == line_.size()) return Key::kNone;
      if (line_[quote + 1] != ':') return Key::kNotTaken;
      colon = quote + 1;
      if (colon + 1 < line_.size() && line_[colon + 1] != ' ') return Key::kNotTaken;
    } else {
      if (std::strchr("[{|>", line_[0]) != nullptr) return Key::kNone;
      const size_t space = line_.find(' ');
      colon = space == std::string_view::npos ? line_.size() - 1 : space - 1;
      if (space == 0 || line_[colon] != ':') return Key::kNone;
      if (line_.substr(0, colon).empty()) return Key::kNotTaken;
    }
    name = line_.substr(0, colon);
    rest = line_.substr(colon + 1);
    return name.size() > kMaxKeyBytes ? Key::kNotTaken : Key::kFound;
  }

  bool add_key(std::string_view name) {
    if (name[0] == '"') {
      into_.key(name.substr(1, name.size() - 2));
    } else if (name[0] == '\'') {
      into_.key(without_doubled_quotes(name.substr(1, name.size() - 2)));
    } else if (surely_text(name)) {
      into_.key(name);
    } else if (is_letter(name[0]) || is_digit(name[0]) || name[0] == '_' || name[0] == '.' || name[0] == '/') {
      bool infinite = false;
      const value v = resolve_yaml_scalar(name, &infinite);
      if (v.is_null() || infinite) return false;
      into_.key(v.is_string() ? std::string(v.get_string()) : to_string(v));
    } else {
      return false;
    }
    return true;
  }

  // Reads a value that begins on the current line, after "-" or "key:", in a block of this indentation.
  bool scalar(std::string_view text, size_t indent, std::string_view behind) {
    const char first = text[0];
    if (text == "|" || text == "|-") return literal(text.size() == 1, indent);
    if (goes_on(indent) || first == '|' || first == '>') return read_alone(text, indent, behind);
    if (first == '"' || first == '\'') {
      const size_t quote = closing_quote(text);
      if (quote == std::string_view::npos) return read_alone(text, indent, behind);
      if (quote + 1 != text.size()) return false;
      const std::string_view inside = text.substr(1, quote - 1);
      const bool doubled = first == '\'' && inside.find('\'') != std::string_view::npos;
      into_.text(doubled ? without_doubled_quotes(inside) : inside);
    } else if (first == '{' || first == '[') {
      if (text != "{}" && text != "[]") return read_alone(text, indent, behind);
      into_.begin(first == '[');
      into_.end();
    } else if (!plain(text)) {
      return false;
    }
    advance();
    return true;
  }

  bool plain(std::string_view text) {
    if (std::strchr("&*!%@`,]}#?:", text[0]) != nullptr || (text[0] == '-' && (text.size() == 1 || text[1] == ' ')))
      return false;
    if (text.back() == ' ' || text.back() == ':') return false;
    for (size_t at = text.find(' '); at != std::string_view::npos; at = text.find(' ', at + 1)) {
      if (text[at - 1] == ':' || text[at + 1] == '#') return false;
    }
    if (surely_text(text)) {
      into_.text(text);
      return true;
    }
    bool infinite = false;
    const value v = resolve_yaml_scalar(text, &infinite);
    if (!infinite) into_.scalar(v);
    return !infinite;
  }

  // Reads the lines of "|" and "|-", which are indented at least as far as the first.
  bool literal(bool ends_with_newline, size_t indent) {
    const size_t margin = first_line(left_).find_first_not_of(' ');
    if (!goes_on(indent) || margin == std::string_view::npos) return false;
    std::string text;
    size_t empty_lines = 0;
    while (goes_on(indent)) {
      const std::string_view line = first_line(left_);
      const size_t at = line.find_first_not_of(' ');
      if (at != std::string_view::npos && at < margin) return false;
      if (line.size() <= margin) {
        ++empty_lines;
      } else {
        if (!text.empty()) ++empty_lines;
        text.append(empty_lines, '\n') += line.substr(margin);
        empty_lines = 0;
      }
      const bool cut = line.size() == left_.size();  // the text ends without a newline
      drop_line();
      if (cut) return false;
    }
    if (ends_with_newline) text += '\n';
    into_.text(text);
    advance();
    return true;
  }

  // Reads a value of another form, with all lines that may belong to it, in its original column: a mapping may begin
  // there.
  bool read_alone(std::string_view text, size_t indent, std::string_view behind) {
    const size_t column = indent_ + size_t(text.data() - line_.data());
    while (goes_on(indent)) drop_line();
    const char* const end = left_.data();
    std::string whole = std::string(indent, ' ').append(behind);
    whole.resize(column, ' ');
    whole.append(text.data(), end);
    bool anchors = false;
    const auto read = parse_yaml_piece(whole, depth_ + blocks_ - 1, anchors);
    if (!read || read->size() != 1 || anchors) return false;
    const value& alone = read->front();
    if (const array* items = alone.if_array(); items && items->size() == 1 && behind == "-") {
      into_.whole(items->front());
    } else if (const object* members = alone.if_object(); members && members->size() == 1 && behind == "k:") {
      into_.whole(members->begin()->value());
    } else {
      return false;
    }
    advance();
    return true;
  }

  std::string_view left_, line_;
  size_t indent_ = 0;
  bool has_line_ = false;
  const size_t depth_;
  size_t blocks_ = 0;  // open blocks
  Assembler& into_;
};

}  // namespace

bool read_yaml_block(std::string_view text, Assembler& into) {
  return plain_ascii(text) && BlockReader(text, 0, into).document();
}

bool read_yaml_entry(std::string_view text, Assembler& into) {
  return plain_ascii(text) && BlockReader(text, 2, into).entry();
}

}  // namespace tenon::json
