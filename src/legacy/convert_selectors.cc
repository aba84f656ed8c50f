// Selectors of v0.27 are maps whose entries must all hold; a value may list alternatives. Selectors of v1 are lists of
// terms, of which one must hold: each combination of alternatives is a term.
//
//   {Name: "a,b", team: x}        [{tags: {Name: a, team: x}}, {tags: {Name: b, team: x}}]
//   {aws-ids: "sg-1,sg-2"}        [{id: sg-1}, {id: sg-2}]
// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "base/text.h"
#include "json/json.h"
#include "legacy/convert_parts.h"

namespace tenon::legacy {
namespace {

using json::object;
using json::value;

constexpr size_t kMaxTerms = 30;  // of a selector in v1

std::vector<std::string> alternatives(const value& text) {
  std::vector<std::string> all;
  if (!text.is_string()) return all;
  for (const std::string_view one : split(text.get_string(), ',')) all.emplace_back(one);
  return all;
}

// Replaces each term by one for each alternative.
void multiply(std::vector<object>& terms, const std::vector<std::string>& values,
              const std::function<void(object& term, const std::string& text)>& set) {
  std::vector<object> out;
  for (const object& term : terms) {
    for (const std::string& text : values) {
      out.push_back(term);
      set(out.back(), text);
    }
    if (out.size() > kMaxTerms) break;  // refused by finish()
  }
  terms = std::move(out);
}

void set_tag(object& term, std::string_view key, const std::string& text) {
  if (!term.contains("tags")) term["tags"] = object();
  term["tags"].get_object()[key] = text;
}

value finish(const std::vector<object>& terms, const std::string& path, std::vector<Note>& refused) {
  if (terms.size() > kMaxTerms) {
    refused.push_back({path, "has more than " + std::to_string(kMaxTerms) +
                                 " combinations of alternatives; v1 allows " + std::to_string(kMaxTerms) + " terms"});
    return json::array();
  }
  json::array out;
  for (const object& term : terms) out.push_back(term);
  return out;
}

// v1 does not combine an id with other fields: the ids alone select.
value by_ids(const object& selector, std::string_view ids_key, const std::string& path, std::vector<Note>& notes,
             std::vector<Note>& refused) {
  std::vector<object> terms{object()};
  multiply(terms, alternatives(selector.at(ids_key)), [](object& term, const std::string& id) { term["id"] = id; });
  for (const auto& [key, text] : selector) {
    if (key != ids_key)
      notes.push_back({path + "[" + std::string(key) + "]",
                       "is dropped: a term of v1 has an id or tags, not both; the ids select"});
  }
  return finish(terms, path, refused);
}

}  // namespace

value convert_selector(const value& selector, const std::string& path, std::vector<Note>& notes,
                       std::vector<Note>& refused) {
  const object& map = selector.get_object();
  if (map.contains("aws-ids")) return by_ids(map, "aws-ids", path, notes, refused);
  std::vector<object> terms{object()};
  for (const auto& [key, text] : map) {
    const std::string_view name = key;
    multiply(terms, alternatives(text), [name](object& term, const std::string& one) { set_tag(term, name, one); });
  }
  return finish(terms, path, refused);
}

value convert_ami_selector(const value& selector, const std::string& path, std::vector<Note>& notes,
                           std::vector<Note>& refused) {
  const object& map = selector.get_object();
  for (const char* ids : {"aws::ids", "aws-ids"}) {
    if (map.contains(ids)) return by_ids(map, ids, path, notes, refused);
  }
  std::vector<object> terms{object()};
  for (const auto& [key, text] : map) {
    const std::string_view name = key;
    if (name == "aws::name" || name == "aws::owners") {
      const char* field = name == "aws::name" ? "name" : "owner";
      multiply(terms, alternatives(text), [field](object& term, const std::string& one) { term[field] = one; });
    } else {
      const std::string whole(text.is_string() ? std::string_view(text.get_string())
                                               : "");  // AMI tags have no alternatives
      for (object& term : terms) set_tag(term, name, whole);
    }
  }
  return finish(terms, path, refused);
}

}  // namespace tenon::legacy
