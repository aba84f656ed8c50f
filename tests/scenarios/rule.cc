// SPDX-License-Identifier: Apache-2.0
#include "rule.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <span>

#include "base/text.h"
#include "json/json.h"

namespace tenon::scenarios {
namespace {

using json::value;

struct Step {
  std::string key;  // of an object; empty: `item` counts
  size_t item = 0;  // of a list
};
using Steps = std::span<const Step>;

Result<std::vector<Step>> parse_path(std::string_view path) {
  std::vector<Step> steps;
  const auto wrong = [&] { return fail(Code::kInvalid, "rule: " + std::string(path) + " is not a path"); };
  for (size_t at = 0; at < path.size();) {
    const bool first = at == 0;
    if (path[at] == '[') {
      const size_t end = path.find(']', at);
      if (first || end == std::string_view::npos) return wrong();
      size_t item = 0;
      const auto [rest, bad] = std::from_chars(path.data() + at + 1, path.data() + end, item);
      if (bad != std::errc() || rest != path.data() + end) return wrong();
      steps.push_back({"", item});
      at = end + 1;
      continue;
    }
    if (!first && path[at++] != '.') return wrong();
    const bool quoted = at < path.size() && path[at] == '"';
    const size_t from = quoted ? at + 1 : at;
    const size_t end = std::min(quoted ? path.find('"', from) : path.find_first_of(".[", from), path.size());
    if (end == from || (quoted && end == path.size())) return wrong();
    steps.push_back({std::string(path.substr(from, end - from)), 0});
    at = quoted ? end + 1 : end;
  }
  if (steps.empty()) return wrong();
  return steps;
}

// Returns their previous number.
int remove_at(value& in, Steps steps) {
  const Step& step = steps.front();
  int removed = 0;
  if (auto* items = in.if_array()) {
    if (!step.key.empty()) {
      for (value& item : *items) removed += remove_at(item, steps);
    } else if (step.item < items->size()) {
      if (steps.size() > 1) return remove_at((*items)[step.item], steps.subspan(1));
      items->erase(items->begin() + static_cast<ptrdiff_t>(step.item));
      return 1;
    }
  } else if (auto* members = in.if_object(); members && !step.key.empty()) {
    value* member = members->if_contains(step.key);
    if (!member) return 0;
    if (steps.size() > 1) return remove_at(*member, steps.subspan(1));
    members->erase(step.key);
    return 1;
  }
  return removed;
}

bool is_list(const value& document) {
  const std::string_view kind = json::string_at(document, {"kind"});
  return kind.ends_with("List") && json::find(document, {"items"});
}

bool selected(const value& document, std::string_view kind, std::string_view name) {
  return json::string_at(document, {"kind"}) == kind &&
         (name.empty() || json::string_at(document, {"metadata", "name"}) == name);
}

int remove_from(json::array& documents, std::string_view kind, std::string_view name, Steps steps) {
  int removed = 0;
  for (size_t i = 0; i < documents.size();) {
    value& document = documents[i];
    if (is_list(document)) {
      if (value* items = json::find(document, {"items"}); items->is_array())
        removed += remove_from(items->get_array(), kind, name, steps);
    } else if (selected(document, kind, name)) {
      if (steps.empty()) {
        documents.erase(documents.begin() + static_cast<ptrdiff_t>(i));
        ++removed;
        continue;
      }
      removed += remove_at(document, steps);
    }
    ++i;
  }
  return removed;
}

void add(std::vector<std::string>& all, const std::string& path) {
  if (std::find(all.begin(), all.end(), path) == all.end()) all.push_back(path);
}

void collect(const value& in, const std::string& path, std::vector<std::string>& all) {
  if (const auto* items = in.if_array()) {
    for (size_t i = 0; i < items->size(); ++i) {
      if (items->size() > 1) add(all, path + "[" + std::to_string(i) + "]");
      collect((*items)[i], path, all);
    }
  } else if (const auto* members = in.if_object()) {
    for (const auto& [key, member] : *members) {
      const std::string name(key);
      if (name == "kind" || name == "apiVersion" || name == "name") continue;  // every object has these
      const std::string quoted = name.find('.') == std::string::npos ? name : '"' + name + '"';
      const std::string inner = path.empty() ? quoted : path + "." + quoted;
      if (name != "metadata") add(all, inner);
      collect(member, inner, all);
    }
  }
}

void group(const value& document, std::map<std::string, std::vector<const value*>>& by_kind) {
  if (!is_list(document)) {
    by_kind[std::string(json::string_at(document, {"kind"}))].push_back(&document);
    return;
  }
  for (const value& item : json::array_at(document, {"items"})) group(item, by_kind);
}

}  // namespace

Result<Rule> rule_of(const value& document) {
  const value* rule = json::find(document, {"rule"});
  const value* none = json::find(document, {"noRule"});
  if (!rule == !none) return fail(Code::kInvalid, "states one of rule and noRule");
  if (none && (!none->is_string() || none->get_string().empty())) return fail(Code::kInvalid, "noRule: must say why");
  if (none) return Rule();
  Rule out;
  if (rule->is_string()) out.paths.emplace_back(rule->get_string());
  if (const auto* paths = rule->if_array()) {
    for (const value& path : *paths) out.paths.emplace_back(path.is_string() ? std::string(path.get_string()) : "");
  }
  if (out.paths.empty()) return fail(Code::kInvalid, "rule: must be a path or a list of paths");
  return out;
}

Status remove_field(value& document, const std::string& path) {
  const std::vector<Step> steps = TRY(parse_path(path));
  if (remove_at(document, steps) == 0) return fail(Code::kNotFound, "rule: there is no " + path);
  return ok();
}

Status remove_from_manifests(std::vector<value>& documents, const std::string& path) {
  const std::vector<Step> steps = TRY(parse_path(path));
  const auto [kind, name] = cut(steps.front().key, '/');
  json::array all(documents.begin(), documents.end());
  if (remove_from(all, kind, name, Steps(steps).subspan(1)) == 0)
    return fail(Code::kNotFound, "rule: there is no " + path);
  documents.assign(all.begin(), all.end());
  return ok();
}

std::vector<std::string> fields_of(const value& document) {
  std::vector<std::string> all;
  json::object rest = document.get_object();
  for (const char* name : {"kind", "seed", "rule", "noRule", "steps"}) rest.erase(name);
  collect(rest, "", all);
  const json::array& steps = json::array_at(document, {"steps"});
  for (size_t i = 0; i < steps.size(); ++i) {
    const std::string step = "steps[" + std::to_string(i) + "]";
    add(all, step);
    for (const auto& [action, how] : steps[i].as_object()) {
      if (action != "expect") add(all, step + "." + std::string(action));
    }
  }
  return all;
}

std::vector<std::string> fields_of_manifests(const std::vector<value>& documents) {
  std::map<std::string, std::vector<const value*>> by_kind;
  for (const value& document : documents) group(document, by_kind);
  std::vector<std::string> all;
  for (const auto& [kind, some] : by_kind) {
    for (const value* document : some) {
      if (kind == "Expectation") {
        if (const value* flags = json::find(*document, {"flags"})) collect(*flags, "Expectation.flags", all);
        continue;
      }
      add(all, kind);
      collect(*document, kind, all);
      if (some.size() == 1) continue;
      const std::string one = kind + "/" + std::string(json::string_at(*document, {"metadata", "name"}));
      add(all, one);
      collect(*document, one, all);
    }
  }
  return all;
}

}  // namespace tenon::scenarios
