// SPDX-License-Identifier: Apache-2.0
#include "schema/cel/decl.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "json/json.h"
#include "schema/cel/time_text.h"

namespace tenon::cel {
namespace {

constexpr std::array<std::string_view, 21> kReserved = {
    "true", "false",  "null", "in",   "as",      "break",     "const",  "continue", "else", "for",  "function",
    "if",   "import", "let",  "loop", "package", "namespace", "return", "var",      "void", "while"};

bool is_reserved(std::string_view word) {
  return std::find(kReserved.begin(), kReserved.end(), word) != kReserved.end();
}

const DeclType& dyn() {
  static const DeclType type;
  return type;
}

const DeclType& element_of(const DeclType& type) { return type.element ? *type.element : dyn(); }

class JsonList final : public List {
 public:
  JsonList(const json::array& items, const DeclType& type) : items_(items), type_(type) {}
  size_t size() const override { return items_.size(); }
  Result<Value> at(size_t index) const override { return to_cel(items_[index], element_of(type_)); }
  Kind kind() const override { return type_.list_kind; }
  const std::vector<std::string>& keys() const override { return type_.list_keys; }

 private:
  const json::array& items_;
  const DeclType& type_;
};

class JsonMap final : public Map {
 public:
  JsonMap(const json::object& members, const DeclType& type) : members_(members), type_(type) {}
  size_t size() const override { return members_.size(); }
  Result<std::optional<Value>> find(const Value& key) const override {
    const std::string* name = key.get<std::string>();
    const json::value* found = name ? members_.if_contains(*name) : nullptr;
    if (!found) return std::optional<Value>();
    return std::optional<Value>(TRY(to_cel(*found, element_of(type_))));
  }
  std::vector<Value> keys() const override {
    std::vector<Value> out;
    for (const auto& member : members_) out.push_back(make_string(member.key()));
    return out;
  }

 private:
  const json::object& members_;
  const DeclType& type_;
};

// An object with declared fields. A null field counts as absent.
class JsonObject final : public Map {
 public:
  JsonObject(const json::object& members, const DeclType& type) : members_(members), type_(type) {}
  size_t size() const override { return members_.size(); }
  Result<std::optional<Value>> find(const Value& key) const override {
    const std::string* name = key.get<std::string>();
    const DeclType::Field* field = name ? type_.field(*name) : nullptr;
    const json::value* found = field ? members_.if_contains(field->json_name) : nullptr;
    if (!found || found->is_null()) return std::optional<Value>();
    return std::optional<Value>(TRY(to_cel(*found, *field->type)));
  }
  std::vector<Value> keys() const override {
    std::vector<Value> out;
    for (const auto& [name, field] : type_.fields)
      if (members_.contains(field.json_name)) out.push_back(make_string(name));
    return out;
  }

 private:
  const json::object& members_;
  const DeclType& type_;
};

Result<Value> wrong_data(std::string_view expected, const json::value& got) {
  return eval_error(fmt::format("invalid data, expected {}, got {}", expected, boost::json::to_string(got.kind())));
}

Result<Value> dynamic(const json::value& json) {
  switch (json.kind()) {
    case boost::json::kind::null: return Value();
    case boost::json::kind::bool_: return Value(json.get_bool());
    case boost::json::kind::int64: return Value(json.get_int64());
    case boost::json::kind::uint64: return Value(static_cast<double>(json.get_uint64()));  // beyond int64: a double
    case boost::json::kind::double_: return Value(json.get_double());
    case boost::json::kind::string: return make_string(json.get_string());
    case boost::json::kind::array: return Value(ListPtr(std::make_shared<JsonList>(json.get_array(), dyn())));
    case boost::json::kind::object: break;
  }
  return Value(MapPtr(std::make_shared<JsonMap>(json.get_object(), dyn())));
}

Result<Value> text(const json::value& json, const DeclType& type) {
  if (!json.is_string()) return wrong_data("string", json);
  const std::string_view s = json.get_string();
  switch (type.kind) {
    case DeclType::Kind::kBytes: {
      Bytes bytes;
      if (!base64_decode(s, bytes.data)) return eval_error(fmt::format("Invalid byte formatted string {}", s));
      return Value(std::move(bytes));
    }
    case DeclType::Kind::kDuration: {
      const std::optional<Duration> d = parse_duration(s);
      if (!d) return eval_error(fmt::format("Invalid duration {}", s));
      return Value(*d);
    }
    case DeclType::Kind::kDate:
    case DeclType::Kind::kTimestamp: {
      const bool date = type.kind == DeclType::Kind::kDate;
      const std::optional<Instant> t = date ? parse_rfc3339(std::string(s) + "T00:00:00Z") : parse_rfc3339(s);
      if (!t) return eval_error(fmt::format("Invalid {} formatted string {}", date ? "date" : "date-time", s));
      return Value(*t);
    }
    default: return make_string(s);
  }
}

}  // namespace

std::string_view DeclType::name() const {
  constexpr std::string_view names[] = {"dyn",   "dyn",      "null",      "bool",      "int",  "double", "string",
                                        "bytes", "duration", "timestamp", "timestamp", "list", "map",    "object"};
  return names[static_cast<size_t>(kind)];
}

const DeclType::Field* DeclType::field(std::string_view name_in_cel) const {
  auto found = fields.find(name_in_cel);
  if (found == fields.end() && is_reserved(name_in_cel)) found = fields.find(*escape(name_in_cel));
  return found == fields.end() ? nullptr : &found->second;
}

std::optional<std::string> escape(std::string_view property) {
  if (property.empty() || (property[0] >= '0' && property[0] <= '9')) return std::nullopt;
  if (is_reserved(property)) return "__" + std::string(property) + "__";
  std::string out;
  for (size_t i = 0; i < property.size(); ++i) {
    const char c = property[i];
    if (property.substr(i, 2) == "__") {
      out += "__underscores__";
      ++i;
    } else if (c == '.') {
      out += "__dot__";
    } else if (c == '-') {
      out += "__dash__";
    } else if (c == '/') {
      out += "__slash__";
    } else if (c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) {
      out += c;
    } else {
      return std::nullopt;
    }
  }
  return out;
}

Result<Value> to_cel(const json::value& json, const DeclType& type) {
  using Kind = DeclType::Kind;
  if (type.kind == Kind::kDyn) return dynamic(json);
  if (json.is_null()) {
    if (type.nullable) return Value();
    return eval_error("invalid data, got null for schema with nullable=false");
  }
  switch (type.kind) {
    case Kind::kIntOrString:
      if (json.is_string() || json.is_int64()) return dynamic(json);
      return eval_error("invalid data, expected XIntOrString value to be either a string or integer");
    case Kind::kBool: return json.is_bool() ? dynamic(json) : wrong_data("bool", json);
    case Kind::kInt: return json.is_int64() ? dynamic(json) : wrong_data("int", json);
    case Kind::kDouble: return json.is_number() ? Value(json.to_number<double>()) : wrong_data("float", json);
    case Kind::kList:
      if (!json.is_array())
        return eval_error("invalid data, expected an array for the provided schema with type=array");
      return Value(ListPtr(std::make_shared<JsonList>(json.get_array(), type)));
    case Kind::kMap:
    case Kind::kObject:
      if (!json.is_object()) return eval_error("invalid data, expected a map for the provided schema with type=object");
      if (type.kind == Kind::kMap) return Value(MapPtr(std::make_shared<JsonMap>(json.get_object(), type)));
      return Value(MapPtr(std::make_shared<JsonObject>(json.get_object(), type)));
    default: return text(json, type);
  }
}

}  // namespace tenon::cel
