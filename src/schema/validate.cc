// SPDX-License-Identifier: Apache-2.0
#include "schema/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "json/equal.h"
#include "json/json.h"
#include "schema/causes.h"
#include "schema/formats.h"

namespace tenon::schema {
namespace {

// The result for one value and one schema. `matches` counts the checks that passed: if all branches fail, the errors of
// the branch with the most matches are reported.
struct Finding {
  std::vector<Cause> causes;
  int matches = 0;

  bool good() const { return causes.empty(); }
  void add(Cause cause) {
    if (causes.size() < kMaxCauses && std::find(causes.begin(), causes.end(), cause) == causes.end())
      causes.push_back(std::move(cause));
  }
  void merge(const Finding& other) {
    for (const Cause& cause : other.causes) add(cause);
    matches += other.matches;
  }
};

bool whole(double d) { return std::trunc(d) == d && std::fabs(d) <= 9007199254740991.0; }
bool names(const std::vector<std::string>& types, std::string_view type) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

struct Kind {
  std::string_view type, format;  // of a JSON value, in OpenAPI's terms
};
Kind kind_of(const json::value& v) {
  switch (v.kind()) {
    case boost::json::kind::null: return {"null", ""};
    case boost::json::kind::bool_: return {"boolean", ""};
    case boost::json::kind::int64: return {"integer", "int64"};
    case boost::json::kind::uint64:
    case boost::json::kind::double_: return {"number", "float64"};
    case boost::json::kind::string: return {"string", ""};
    case boost::json::kind::array: return {"array", ""};
    case boost::json::kind::object: break;
  }
  return {"object", ""};
}

size_t code_points(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

class Validator {
 public:
  // `old`: the old counterpart of the value; null if it has none.
  Finding check(const json::value& v, const json::value* old, const Node& node, const std::string& path) {
    Finding out;
    if (!node.types.empty() || !node.format.empty()) {
      Finding type = check_type(v, node, path);
      const bool null = v.is_null();
      out.merge(type);
      if (!null) ++out.matches;
    }
    if (v.is_null()) {
      out.merge(check_enum(v, node, path));
      return out;
    }
    out.merge(check_branches(v, node, path));
    ++out.matches;
    if (v.is_string()) {
      out.merge(check_string(v.get_string(), node, path));
      ++out.matches;
      if (!node.format.empty()) {
        out.merge(check_format(v.get_string(), node, path));
        ++out.matches;
      }
    }
    if (v.is_number()) {
      out.merge(check_number(v, node, path));
      out.matches += 2;
    }
    if (v.is_array()) {
      out.merge(check_array(v, old, node, path));
      out.matches += 2;
    }
    out.merge(check_enum(v, node, path));
    ++out.matches;
    if (v.is_object()) {
      out.merge(check_object(v, old, node, path));
      ++out.matches;
    }
    ++out.matches;
    return out;
  }

 private:
  static Finding only(Cause cause) {
    Finding out;
    out.add(std::move(cause));
    return out;
  }
  static Finding wrong_type(const std::string& path, std::string_view wanted, std::string_view got) {
    return only(type_invalid(path, got, fmt::format("{} in body must be of type {}: {}", path, wanted, quote(got))));
  }

  // Skips an unchanged value (ratcheting). path_of: returns the path of `v`.
  template <class PathOf>
  void check_below(Finding& out, const json::value& v, const json::value* old, const Node& node,
                   const PathOf& path_of) {
    if (!old || !json::equal(*old, v)) out.merge(check(v, old, node, path_of()));
  }

  Finding check_type(const json::value& v, const Node& node, const std::string& path) {
    Finding right;
    right.matches = 1;
    const Kind kind = kind_of(v);
    const auto wanted = [&] { return fmt::format("{}", fmt::join(node.types, ",")); };
    if (v.is_null()) return node.types.empty() || node.nullable ? right : wrong_type(path, wanted(), "null");
    const bool whole_number = v.is_double() && whole(v.get_double()) && names(node.types, "integer");
    const bool fits = names(node.types, kind.type) || whole_number || (v.is_int64() && names(node.types, "number"));
    if (!node.format.empty()) {
      if (!v.is_string() && !v.is_array() && !fits) return wrong_type(path, node.format, kind.format);
      const bool numeric = names(node.types, "number") || names(node.types, "integer");
      if (!numeric && (v.is_string() || v.is_array())) return right;
    }
    return fits ? right : wrong_type(path, wanted(), kind.type);
  }

  Finding check_enum(const json::value& v, const Node& node, const std::string& path) {
    if (!node.allowed) return {};
    for (const json::value& each : node.allowed->get_array()) {
      if (json::equal(each, v)) return {};
      if (each.is_number() && v.is_number() && each.to_number<double>() == v.to_number<double>()) return {};
    }
    return only(not_supported(path, v, *node.allowed));
  }

  Finding check_string(std::string_view text, const Node& node, const std::string& path) {
    const json::value bad(text);
    const auto length = static_cast<int64_t>(code_points(text));
    if (node.max_length && length > *node.max_length) return only(too_long(path, *node.max_length));
    if (node.min_length && length < *node.min_length)
      return only(
          invalid(path, bad, fmt::format("{} in body should be at least {} chars long", path, *node.min_length)));
    if (node.pattern && !re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *node.pattern->compiled))
      return only(invalid(path, bad, fmt::format("{} in body should match '{}'", path, node.pattern->text)));
    return {};
  }

  Finding check_format(std::string_view text, const Node& node, const std::string& path) {
    if (matches_format(node.format, text)) return {};
    return only(
        type_invalid(path, text, fmt::format("{} in body must be of type {}: {}", path, node.format, quote(text))));
  }

  // For an integer value, the bound is written as an integer.
  static std::string bound_text(double bound, bool integer) {
    return integer && whole(bound) ? std::to_string(static_cast<int64_t>(bound)) : cel::format_go_double(bound);
  }

  Finding check_number(const json::value& v, const Node& node, const std::string& path) {
    Finding out;
    const bool integer = v.is_int64();
    const double d = v.to_number<double>();
    const auto refuse = [&](std::string_view what, double bound) {
      out.add(invalid(path, v, fmt::format("{} in body should be {} {}", path, what, bound_text(bound, integer))));
    };
    if (node.multiple_of) {
      const double factor = *node.multiple_of;
      const bool multiple = integer && whole(factor) ? v.get_int64() % static_cast<int64_t>(factor) == 0
                                                     : whole(factor < 1 ? 1 / factor * d : d / factor);
      if (!multiple) refuse("a multiple of", factor);
    }
    if (node.minimum && (node.exclusive_minimum ? d <= *node.minimum : d < *node.minimum))
      refuse(node.exclusive_minimum ? "greater than" : "greater than or equal to", *node.minimum);
    if (node.maximum && (node.exclusive_maximum ? d >= *node.maximum : d > *node.maximum))
      refuse(node.exclusive_maximum ? "less than" : "less than or equal to", *node.maximum);
    return out;
  }

  Finding check_array(const json::value& v, const json::value* old, const Node& node, const std::string& path) {
    Finding out;
    const json::array& items = v.get_array();
    if (node.items) {
      for (size_t i = 0; i < items.size(); ++i)
        check_below(out, items[i], old_item(node, old, items[i]), *node.items,
                    [&] { return fmt::format("{}[{}]", path, i); });
    }
    const auto size = static_cast<int64_t>(items.size());
    if (node.min_items && size < *node.min_items)
      out.add(invalid(path, size, fmt::format("{} in body should have at least {} items", path, *node.min_items)));
    if (node.max_items && size > *node.max_items) out.add(too_many(path, items.size(), *node.max_items));
    if (node.unique_items && !unique(items))
      out.add(invalid(path, "", fmt::format("{} in body shouldn't contain duplicates", path)));
    return out;
  }

  static bool unique(const json::array& items) {
    for (size_t i = 0; i < items.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        if (json::equal(items[i], items[j])) return false;
    return true;
  }

  Finding check_object(const json::value& v, const json::value* old, const Node& node, const std::string& path) {
    Finding out;
    const json::object& members = v.get_object();
    const auto size = static_cast<int64_t>(members.size());
    if (node.min_properties && size < *node.min_properties)
      out.add(invalid(path, size,
                      fmt::format("{} in body should have at least {} properties", path, *node.min_properties)));
    if (node.max_properties && size > *node.max_properties)
      out.add(too_many(path, members.size(), *node.max_properties));
    const std::string prefix = path.empty() ? "" : path + ".";
    const json::object* before = old && old->is_object() ? &old->get_object() : nullptr;
    const auto descend = [&](std::string_view key, const json::value& value, const Node& next) {
      check_below(out, value, before ? before->if_contains(key) : nullptr, next,
                  [&] { return prefix + std::string(key); });
    };
    for (const auto& member : members) {
      if (node.properties.contains(member.key())) continue;
      if (node.additional) descend(member.key(), member.value(), *node.additional);
      if (node.no_additional)
        out.add(invalid(path, json::value(member.key()),
                        fmt::format("{}.{} in body is a forbidden property", path, std::string_view(member.key()))));
    }
    for (const auto& [name, property] : node.properties)
      if (const json::value* value = members.if_contains(name)) descend(name, *value, *property);
    for (const std::string& name : node.required)
      if (!members.contains(name)) out.add(required(prefix + name));
    return out;
  }

  static void refuse_branches(Finding& out, const std::string& path, std::string_view what) {
    out.add(invalid("", "", quote(path) + " must " + std::string(what)));
  }

  // Inside allOf, anyOf, oneOf and not, unchanged values are validated as well.
  Finding check_branches(const json::value& v, const Node& node, const std::string& path) {
    Finding out;
    if (!node.any_of.empty()) out.merge(check_any_of(v, node, path));
    if (!node.one_of.empty()) out.merge(check_one_of(v, node, path));
    size_t good = 0;
    for (const Node::Ptr& branch : node.all_of) {
      const Finding finding = check(v, nullptr, *branch, path);
      good += finding.good() ? 1 : 0;
      out.merge(finding);
    }
    if (good != node.all_of.size())
      refuse_branches(
          out, path,
          good == 0 ? "validate all the schemas (allOf). None validated" : "validate all the schemas (allOf)");
    if (node.negated && check(v, nullptr, *node.negated, path).good())
      refuse_branches(out, path, "not validate the schema (not)");
    ++out.matches;
    return out;
  }

  Finding check_any_of(const json::value& v, const Node& node, const std::string& path) {
    Finding best;
    bool first = true;
    for (const Node::Ptr& branch : node.any_of) {
      Finding finding = check(v, nullptr, *branch, path);
      if (finding.good()) return finding;
      if (first || finding.matches > best.matches) best = std::move(finding);
      first = false;
    }
    Finding out;
    refuse_branches(out, path, "validate at least one schema (anyOf)");
    out.merge(best);
    return out;
  }

  Finding check_one_of(const json::value& v, const Node& node, const std::string& path) {
    Finding best, success;
    size_t good = 0;
    bool first = true;
    for (const Node::Ptr& branch : node.one_of) {
      Finding finding = check(v, nullptr, *branch, path);
      if (finding.good()) {
        if (++good == 1) success = std::move(finding);
      } else if (first || finding.matches > best.matches) {
        best = std::move(finding);
        first = false;
      }
    }
    if (good == 1) return success;
    Finding out;
    refuse_branches(
        out, path,
        "validate one and only one schema (oneOf). " +
            (good == 0 ? std::string("Found none valid") : fmt::format("Found {} valid alternatives", good)));
    if (good == 0) out.merge(best);
    return out;
  }
};

}  // namespace

std::vector<Cause> validate_values(const json::value& object, const json::value* old, const Node& root) {
  if (old && json::equal(*old, object)) return {};
  return Validator().check(object, old, root, "").causes;
}

}  // namespace tenon::schema
