// SPDX-License-Identifier: Apache-2.0
#include "json/yaml.h"

#include <yaml.h>

#include <map>
#include <optional>

#include "base/text.h"
#include "json/json.h"
#include "json/yaml_scalar.h"

namespace tenon::json {
namespace {

// Limit for copies by anchors and aliases in one text: without it, nested aliases in a few lines fill the memory
// ("billion laughs").
constexpr size_t kMaxAliasBytes = 32 << 20;
constexpr size_t kBytesPerValue = 32;

Error at_mark(const yaml_mark_t& mark, const std::string& what) {
  return Error{Code::kInvalid,
               "line " + std::to_string(mark.line + 1) + ", column " + std::to_string(mark.column + 1) + ": " + what};
}

// One libyaml event; its destructor frees it.
class Event {
 public:
  Event() = default;
  Event(Event&& other) noexcept : raw(other.raw) { other.raw = {}; }
  Event& operator=(Event&&) = delete;
  ~Event() { yaml_event_delete(&raw); }
  yaml_event_t raw{};
};

std::string_view view(const yaml_char_t* text) {
  return text ? std::string_view(reinterpret_cast<const char*>(text)) : std::string_view{};
}

class Reader {
 public:
  explicit Reader(std::string_view text) {
    ready_ = yaml_parser_initialize(&parser_) == 1;
    if (ready_) yaml_parser_set_input_string(&parser_, reinterpret_cast<const uint8_t*>(text.data()), text.size());
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() {
    if (ready_) yaml_parser_delete(&parser_);
  }

  Result<std::vector<value>> documents(size_t depth) {
    if (!ready_) return fail(Code::kInternal, "YAML: out of memory");
    std::vector<value> out;
    while (true) {
      const Event event = TRY(next());
      if (event.raw.type == YAML_STREAM_END_EVENT) return out;
      if (event.raw.type != YAML_DOCUMENT_START_EVENT) continue;  // stream start, document end
      anchors_.clear();
      Event root = TRY(next());
      value document = TRY(node(std::move(root), depth));
      if (!document.is_null()) out.push_back(std::move(document));
    }
  }

  bool has_anchors() const { return has_anchors_; }

 private:
  struct Anchor {
    value content;
    size_t bytes = 0;
    bool open = true;  // the parser is still inside it
  };

  Result<Event> next() {
    Event event;
    if (yaml_parser_parse(&parser_, &event.raw) == 1) return event;
    if (parser_.error == YAML_READER_ERROR) {
      return fail(Code::kInvalid, "offset " + std::to_string(parser_.problem_offset) + ": " +
                                      (parser_.problem ? parser_.problem : "unreadable text"));
    }
    return fail(at_mark(parser_.problem_mark, parser_.problem ? parser_.problem : "malformed YAML"));
  }

  Result<value> node(Event event, size_t depth) {
    const yaml_mark_t mark = event.raw.start_mark;
    if (depth > kMaxDepth) return fail(at_mark(mark, "nested deeper than " + std::to_string(kMaxDepth) + " levels"));
    switch (event.raw.type) {
      case YAML_ALIAS_EVENT: return alias(std::string(view(event.raw.data.alias.anchor)), mark);
      case YAML_SCALAR_EVENT: {
        value scalar = TRY(resolve(event.raw));
        TRY(keep(std::string(view(event.raw.data.scalar.anchor)), scalar, mark));
        return scalar;
      }
      case YAML_SEQUENCE_START_EVENT: {
        const std::string name(view(event.raw.data.sequence_start.anchor));
        open(name);
        value items = TRY(sequence(depth));
        TRY(keep(name, items, mark));
        return items;
      }
      case YAML_MAPPING_START_EVENT: {
        const std::string name(view(event.raw.data.mapping_start.anchor));
        open(name);
        value members = TRY(mapping(depth));
        TRY(keep(name, members, mark));
        return members;
      }
      default: return fail(at_mark(mark, "unexpected end of the document"));
    }
  }

  Result<value> sequence(size_t depth) {
    value out(boost::json::array_kind);
    while (true) {
      Event event = TRY(next());
      if (event.raw.type == YAML_SEQUENCE_END_EVENT) return out;
      out.get_array().push_back(TRY(node(std::move(event), depth + 1)));
    }
  }

  Result<value> mapping(size_t depth) {
    value out(boost::json::object_kind);
    object& members = out.get_object();
    while (true) {
      Event event = TRY(next());
      if (event.raw.type == YAML_MAPPING_END_EVENT) return out;
      const yaml_mark_t mark = event.raw.start_mark;
      const bool merge = is_merge(event.raw);
      const std::string name = merge ? "<<" : TRY(key(std::move(event), depth));
      Event child = TRY(next());
      value content = TRY(node(std::move(child), depth + 1));
      if (merge) {
        TRY(merge_into(members, content, mark));
      } else {
        members[name] = std::move(content);  // the last of duplicate keys counts
      }
    }
  }

  static bool is_merge(const yaml_event_t& event) {
    return event.type == YAML_SCALAR_EVENT && event.data.scalar.plain_implicit == 1 && event.data.scalar.length == 2 &&
           view(event.data.scalar.value) == "<<";
  }

  // Earlier mappings of a list override later ones. The merge overrides keys before it; keys after it override the
  // merge.
  // parity: gopkg.in/yaml.v2 decode.go merge
  static Status merge_into(object& members, const value& content, const yaml_mark_t& mark) {
    const Error wrong = at_mark(mark, "<< takes a mapping or a list of mappings");
    if (const object* one = content.if_object()) {
      for (const auto& member : *one) members[member.key()] = member.value();
      return ok();
    }
    const array* many = content.if_array();
    if (!many) return fail(wrong);
    for (size_t i = many->size(); i-- > 0;) {
      const object* one = (*many)[i].if_object();
      if (!one) return fail(wrong);
      for (const auto& member : *one) members[member.key()] = member.value();
    }
    return ok();
  }

  // JSON keys are strings: booleans and numbers become their JSON text.
  Result<std::string> key(Event event, size_t depth) {
    const yaml_mark_t mark = event.raw.start_mark;
    const value v = TRY(node(std::move(event), depth + 1));
    if (v.is_string()) return std::string(v.get_string());
    if (v.is_bool() || v.is_number()) return to_string(v);
    return fail(
        at_mark(mark, "a mapping key must be a string, not " + std::string(v.is_null() ? "null" : "a collection")));
  }

  Result<value> alias(const std::string& name, const yaml_mark_t& mark) {
    const auto it = anchors_.find(name);
    if (it == anchors_.end()) return fail(at_mark(mark, "*" + name + " has no anchor before it"));
    if (it->second.open) return fail(at_mark(mark, "anchor &" + name + " contains itself"));
    TRY(spend(it->second.bytes, mark));
    return it->second.content;
  }

  Status spend(size_t bytes, const yaml_mark_t& mark) {
    alias_bytes_ += bytes;
    if (alias_bytes_ <= kMaxAliasBytes) return ok();
    return fail(at_mark(mark, "aliases expand to more than " + std::to_string(kMaxAliasBytes >> 20) + " MiB"));
  }

  void open(const std::string& name) {
    if (!name.empty()) anchors_[name] = Anchor{};
  }
  Status keep(const std::string& name, const value& content, const yaml_mark_t& mark) {
    if (name.empty()) return ok();
    has_anchors_ = true;
    const size_t bytes = size_of(content);
    TRY(spend(bytes, mark));
    anchors_[name] = Anchor{content, bytes, false};
    return ok();
  }

  static size_t size_of(const value& v) {
    size_t bytes = kBytesPerValue;
    if (const auto* text = v.if_string()) bytes += text->size();
    if (const auto* items = v.if_array()) {
      for (const value& item : *items) bytes += size_of(item);
    }
    if (const auto* members = v.if_object()) {
      for (const auto& member : *members) bytes += kBytesPerValue + member.key().size() + size_of(member.value());
    }
    return bytes;
  }

  Result<value> resolve(const yaml_event_t& event) {
    const auto& scalar = event.data.scalar;
    const std::string_view text(reinterpret_cast<const char*>(scalar.value), scalar.length);
    const std::string_view tag = view(scalar.tag);
    constexpr std::string_view kPrefix = "tag:yaml.org,2002:";
    if (tag.substr(0, kPrefix.size()) == kPrefix) return tagged(tag.substr(kPrefix.size()), text, event.start_mark);
    if (!tag.empty() || scalar.plain_implicit == 0) return value(text);  // quoted, or with a custom !Tag
    bool infinite = false;
    value resolved = resolve_yaml_scalar(text, &infinite);
    if (infinite) return fail(at_mark(event.start_mark, std::string(text) + " cannot be written as JSON"));
    return resolved;
  }

  static Result<value> tagged(std::string_view kind, std::string_view text, const yaml_mark_t& mark) {
    if (kind == "binary") {
      std::string bytes;
      if (!base64_decode(text, bytes)) return fail(at_mark(mark, "!!binary: not base64"));
      const value decoded(bytes);
      if (!parse(to_string(decoded))) return fail(at_mark(mark, "!!binary: not UTF-8, which JSON strings must be"));
      return decoded;
    }
    bool infinite = false;
    value resolved = resolve_yaml_scalar(text, &infinite);
    const bool fits = (kind == "null" && resolved.is_null()) || (kind == "bool" && resolved.is_bool()) ||
                      (kind == "int" && (resolved.is_int64() || resolved.is_uint64())) ||
                      (kind == "float" && resolved.is_number());
    if (fits) return resolved;
    if (kind == "null" || kind == "bool" || kind == "int" || kind == "float") {
      return fail(at_mark(mark, "\"" + std::string(text) + "\" is not a !!" + std::string(kind)));
    }
    return value(text);  // !!str and all others
  }

  yaml_parser_t parser_{};
  bool ready_ = false, has_anchors_ = false;
  std::map<std::string, Anchor> anchors_;
  size_t alias_bytes_ = 0;
};

}  // namespace

Result<std::vector<value>> parse_yaml(std::string_view text) { return Reader(text).documents(0); }

Result<std::vector<value>> parse_yaml_piece(std::string_view text, size_t depth, bool& anchors) {
  Reader reader(text);
  auto documents = reader.documents(depth);
  anchors = reader.has_anchors();
  return documents;
}

}  // namespace tenon::json
