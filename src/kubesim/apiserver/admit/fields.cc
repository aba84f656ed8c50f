// Decoding: rejects values of the wrong type, drops unknown fields, makes quantities canonical and removes the zero
// values that Go omits.
// parity: sigs.k8s.io/json (error texts), k8s.io/apimachinery/pkg/runtime/serializer/json
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "json/json.h"
#include "kubesim/apiserver/admit/strategy.h"
#include "kubesim/apiserver/kinds/shape.h"
#include "model/quantity.h"

namespace tenon::kubesim::apiserver {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;
using Kind = Shape::Kind;

std::string go_type(const Shape& shape) {
  switch (shape.kind) {
    case Kind::kInt: return "int32";
    case Kind::kLong: return "int64";
    case Kind::kNumber: return "float64";
    case Kind::kBool: return "bool";
    case Kind::kBytes: return "[]uint8";
    case Kind::kObject: return "v1." + shape.name.substr(shape.name.find('.') + 1);
    case Kind::kList: return "[]" + go_type(*shape.element);
    case Kind::kMap: return "map[string]" + go_type(*shape.element);
    case Kind::kTime: return "v1.Time";
    case Kind::kMicroTime: return "v1.MicroTime";
    case Kind::kQuantity: return "resource.Quantity";
    case Kind::kIntOrString: return "intstr.IntOrString";
    default: return "string";
  }
}

std::string_view json_type(const value& v) {
  if (v.is_string()) return "string";
  if (v.is_bool()) return "bool";
  if (v.is_array()) return "array";
  if (v.is_object()) return "object";
  return "number";
}

bool is_zero(const value& v) {
  switch (v.kind()) {
    case boost::json::kind::string: return v.get_string().empty();
    case boost::json::kind::bool_: return !v.get_bool();
    case boost::json::kind::int64: return v.get_int64() == 0;
    case boost::json::kind::array: return v.get_array().empty();
    case boost::json::kind::object: return v.get_object().empty();
    default: return false;
  }
}

// The position of a value, for messages: path() has indexes, go_path() has none, as in Go's messages.
class FieldPath {
 public:
  FieldPath field(std::string_view name, const Shape& of) const { return FieldPath(Step::kField, this, name, 0, &of); }
  FieldPath item(size_t index) const { return FieldPath(Step::kItem, this, {}, index, nullptr); }
  FieldPath entry(std::string_view key) const { return FieldPath(Step::kEntry, this, key, 0, nullptr); }

  bool is_root() const { return step_ == Step::kRoot; }
  std::string path() const {
    if (is_root()) return "";
    if (step_ == Step::kItem) return fmt::format("{}[{}]", above_->path(), index_);
    if (step_ == Step::kEntry) return fmt::format("{}[{}]", above_->path(), name_);
    return dotted(above_->path());
  }
  std::string go_path() const {
    if (is_root()) return "";
    return step_ == Step::kField ? dotted(above_->go_path()) : above_->go_path();
  }
  std::string in_struct() const {
    if (is_root()) return "";
    return step_ == Step::kField ? of_->name.substr(of_->name.find('.') + 1) : above_->in_struct();
  }

  FieldPath() = default;

 private:
  enum class Step { kRoot, kField, kItem, kEntry };
  FieldPath(Step step, const FieldPath* above, std::string_view name, size_t index, const Shape* of)
      : step_(step), above_(above), name_(name), index_(index), of_(of) {}
  std::string dotted(const std::string& base) const {
    return base.empty() ? std::string(name_) : base + "." + std::string(name_);
  }

  Step step_ = Step::kRoot;
  const FieldPath* above_ = nullptr;
  std::string_view name_;
  size_t index_ = 0;
  const Shape* of_ = nullptr;
};

class Decoder {
 public:
  Answer<std::vector<std::string>> decode(value& root, const Shape& shape) {
    TRY_API(decode_object(root, shape, {}));
    return std::move(unknown_);
  }

 private:
  Done mismatch(const value& v, const Shape& shape, const FieldPath& place) const {
    return refuse(bad_request(fmt::format("json: cannot unmarshal {} into Go struct field {}.{} of type {}",
                                          json_type(v), place.in_struct(), place.go_path(), go_type(shape))));
  }

  Done decode_value(value& v, const Shape& shape, const FieldPath& place) {
    switch (shape.kind) {
      case Kind::kAny: return {};
      case Kind::kString: return v.is_string() ? Done() : mismatch(v, shape, place);
      case Kind::kBool: return v.is_bool() ? Done() : mismatch(v, shape, place);
      case Kind::kNumber: return v.is_number() ? Done() : mismatch(v, shape, place);
      case Kind::kInt:
      case Kind::kLong: return decode_integer(v, shape, place);
      case Kind::kQuantity: return decode_quantity(v, place);
      case Kind::kIntOrString: return v.is_string() ? Done() : decode_integer(v, shape, place);
      case Kind::kTime:
      case Kind::kMicroTime: return decode_time(v, shape, place);
      case Kind::kBytes: return decode_bytes(v, shape, place);
      case Kind::kObject: return decode_object(v, shape, place);
      case Kind::kList: return decode_list(v, shape, place);
      case Kind::kMap: return decode_map(v, shape, place);
    }
    return {};
  }

  Done decode_integer(value& v, const Shape& shape, const FieldPath& place) const {
    if (v.is_double() && v.get_double() == static_cast<double>(static_cast<int64_t>(v.get_double()))) {
      v = static_cast<int64_t>(v.get_double());
    }
    const bool fits =
        v.is_int64() && (shape.kind == Kind::kLong || static_cast<int32_t>(v.get_int64()) == v.get_int64());
    if (fits) return {};
    if (v.is_number()) {
      return refuse(bad_request(fmt::format("json: cannot unmarshal number {} into Go struct field {}.{} of type {}",
                                            json::to_string(v), place.in_struct(), place.go_path(), go_type(shape))));
    }
    return mismatch(v, shape, place);
  }

  Done decode_quantity(value& v, const FieldPath& place) const {
    if (!v.is_string() && !v.is_number()) return mismatch(v, Shape{.kind = Kind::kQuantity}, place);
    const std::string text = v.is_string() ? std::string(v.get_string()) : json::to_string(v);
    const auto parsed = model::parse_quantity(trim(text));
    if (!parsed) {
      return refuse(
          bad_request("quantities must match the regular expression "
                      "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"));
    }
    std::string canonical = parsed->to_string();
    if (!v.is_string() || v.get_string() != canonical) v = std::move(canonical);
    return {};
  }

  Done decode_time(value& v, const Shape& shape, const FieldPath& place) const {
    if (!v.is_string()) return mismatch(v, shape, place);
    if (v.get_string().empty() || parse_rfc3339(v.get_string())) return {};
    const std::string text(v.get_string());
    return refuse(bad_request(
        fmt::format("{}: parsing time \"{}\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"{}\" as \"2006\"",
                    place.path(), text, text)));
  }

  Done decode_bytes(value& v, const Shape& shape, const FieldPath& place) const {
    std::string bytes;
    if (!v.is_string()) return mismatch(v, shape, place);
    if (base64_decode(v.get_string(), bytes)) return {};
    return refuse(bad_request(place.path() + ": illegal base64 data"));
  }

  Done decode_object(value& v, const Shape& shape, const FieldPath& place) {
    if (!v.is_object()) return mismatch(v, shape, place);
    object& members = v.get_object();
    std::vector<std::string> gone;
    for (auto& entry : members) {
      const std::string_view name = entry.key();
      if (place.is_root() && (name == "apiVersion" || name == "kind")) continue;
      const Member* member = shape.member(name);
      if (member == nullptr) {
        if (shape.keeps_unknown) continue;
        unknown_.push_back(place.field(name, shape).path());
        gone.emplace_back(name);
      } else if (entry.value().is_null()) {
        gone.emplace_back(name);
      } else {
        TRY_API(decode_value(entry.value(), *member->shape, place.field(name, shape)));
        if (member->omit_zero && is_zero(entry.value())) gone.emplace_back(name);
      }
    }
    for (const std::string& name : gone) members.erase(name);
    return {};
  }

  Done decode_list(value& v, const Shape& shape, const FieldPath& place) {
    if (!v.is_array()) return mismatch(v, shape, place);
    array& items = v.get_array();
    items.erase(std::remove_if(items.begin(), items.end(), [](const value& item) { return item.is_null(); }),
                items.end());
    for (size_t i = 0; i < items.size(); ++i) {
      TRY_API(decode_value(items[i], *shape.element, place.item(i)));
    }
    return {};
  }

  Done decode_map(value& v, const Shape& shape, const FieldPath& place) {
    if (!v.is_object()) return mismatch(v, shape, place);
    for (auto& entry : v.get_object()) {
      if (entry.value().is_null() && shape.element->kind == Kind::kString) entry.value() = "";
      TRY_API(decode_value(entry.value(), *shape.element, place.entry(entry.key())));
    }
    return {};
  }

  std::vector<std::string> unknown_;
};

ApiError cannot_be_handled(const ResourceInfo& info, const std::string& why) {
  ApiError error = bad_request(
      fmt::format("{} in version \"{}\" cannot be handled as a {}: {}", info.kind, info.version, info.kind, why));
  error.decoding = why;
  return error;
}

Answer<std::vector<std::string>> decode_custom(const ResourceInfo& info, value& at) {
  value* metadata = json::find(at, {"metadata"});
  auto unknown = Decoder().decode(*metadata, *builtin_shapes().find("ObjectMeta"));
  if (!unknown) return refuse(cannot_be_handled(info, unknown.error().message));
  for (std::string& path : *unknown) path.insert(0, "metadata.");
  if (!info.custom->schema) return unknown;
  for (std::string& path : info.custom->schema->prune(at)) unknown->push_back(std::move(path));
  return unknown;
}

}  // namespace

Done check_fields(const ResourceInfo& info, value& at, const WriteContext& context) {
  const Shape* shape = shape_of(info);
  std::vector<std::string> unknown;
  if (info.custom) {
    unknown = TRY_API(decode_custom(info, at));
  } else if (shape != nullptr) {
    auto decoded = Decoder().decode(at, *shape);
    if (!decoded) return refuse(cannot_be_handled(info, decoded.error().message));
    unknown = std::move(*decoded);
    if (value& metadata = at.get_object()["metadata"]; !metadata.is_object()) metadata.emplace_object();
  }
  if (unknown.empty() || context.validation == FieldValidation::kIgnore) return {};
  std::string message = "strict decoding error: ";
  for (const std::string& path : unknown) {
    if (context.validation == FieldValidation::kWarn && context.warnings != nullptr) {
      context.warnings->push_back("unknown field \"" + path + "\"");
    }
    message += (&path == unknown.data() ? "" : ", ") + ("unknown field \"" + path + "\"");
  }
  if (context.validation == FieldValidation::kWarn) return {};
  return refuse(cannot_be_handled(info, message));
}

}  // namespace tenon::kubesim::apiserver
