// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/front/protobuf.h"

#include <bit>
#include <cstring>
#include <optional>

#include "base/text.h"
#include "json/json.h"
#include "kubesim/apiserver/kinds/shape.h"

namespace tenon::kubesim::apiserver {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;
using Kind = Shape::Kind;

constexpr std::string_view kMagic("k8s\0", 4);
constexpr int kMaxDepth = 100;  // nested messages

// One field of a message on the wire.
struct Field {
  uint32_t number = 0;
  uint64_t integer = 0;    // of varints and fixed-size numbers
  std::string_view bytes;  // of strings and messages
};

// Reads a message field by field.
class Wire {
 public:
  explicit Wire(std::string_view text) : text_(text) {}
  bool bad() const { return bad_; }

  std::optional<Field> next() {
    if (text_.empty() || bad_) return std::nullopt;
    const uint64_t tag = varint();
    Field field{.number = static_cast<uint32_t>(tag >> 3)};
    switch (tag & 7) {
      case 0: field.integer = varint(); break;
      case 1: field.integer = fixed(8); break;
      case 2: field.bytes = take(varint()); break;
      case 5: field.integer = fixed(4); break;
      default: bad_ = true;
    }
    if (bad_) return std::nullopt;
    return field;
  }

 private:
  uint64_t varint() {
    uint64_t result = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (text_.empty()) break;
      const auto byte = static_cast<unsigned char>(text_.front());
      text_.remove_prefix(1);
      result |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return result;
    }
    bad_ = true;
    return 0;
  }
  std::string_view take(uint64_t size) {
    if (size > text_.size()) {
      bad_ = true;
      return {};
    }
    const std::string_view taken = text_.substr(0, size);
    text_.remove_prefix(size);
    return taken;
  }
  uint64_t fixed(size_t size) {
    uint64_t result = 0;
    const std::string_view bytes = take(size);
    for (size_t i = 0; i < bytes.size(); ++i)
      result |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    return result;
  }

  std::string_view text_;
  bool bad_ = false;
};

tl::unexpected<ApiError> malformed() { return refuse(bad_request("the body is not valid protobuf")); }

// Returns the last field `number` of a message; std::nullopt if the message has none.
std::optional<Field> find_field(std::string_view message, uint32_t number) {
  Wire wire(message);
  std::optional<Field> found;
  while (const auto field = wire.next()) {
    if (field->number == number) found = field;
  }
  return found;
}

std::string text_field(std::string_view message, uint32_t number) {
  const auto field = find_field(message, number);
  return field ? std::string(field->bytes) : std::string();
}

class ProtobufReader {
 public:
  // Reads the members of a message into an object. prefix: the numbers of the inlined messages around it.
  Done read_message(std::string_view bytes, const Shape& shape, const std::vector<uint32_t>& prefix, object& into) {
    if (++depth_ > kMaxDepth) return malformed();
    Wire wire(bytes);
    while (const auto field = wire.next()) {
      std::vector<uint32_t> number = prefix;
      number.push_back(field->number);
      bool inlined = false;
      for (const auto& [name, member] : shape.members) {
        if (member.number == number) TRY_API(read_member(*field, *member.shape, into[name]));
        inlined = inlined || (member.number.size() > number.size() &&
                              std::equal(number.begin(), number.end(), member.number.begin()));
      }
      if (inlined) TRY_API(read_message(field->bytes, shape, number, into));
    }
    --depth_;
    if (wire.bad()) return malformed();
    return {};
  }

 private:
  Done read_member(const Field& field, const Shape& shape, value& slot) {
    if (shape.kind == Kind::kList) {
      if (!slot.is_array()) slot.emplace_array();
      slot.get_array().push_back(TRY_API(read_value(field, *shape.element)));
      return {};
    }
    if (shape.kind == Kind::kMap) {
      if (!slot.is_object()) slot.emplace_object();
      const auto item = find_field(field.bytes, 2);
      slot.get_object()[text_field(field.bytes, 1)] = TRY_API(read_value(item.value_or(Field{}), *shape.element));
      return {};
    }
    slot = TRY_API(read_value(field, shape));
    return {};
  }

  Answer<value> read_value(const Field& field, const Shape& shape) {
    switch (shape.kind) {
      case Kind::kString: return value(field.bytes);
      case Kind::kBool: return value(field.integer != 0);
      case Kind::kInt:
      case Kind::kLong: return value(static_cast<int64_t>(field.integer));
      case Kind::kNumber: return value(std::bit_cast<double>(field.integer));
      case Kind::kBytes: return value(base64_encode(field.bytes));
      case Kind::kQuantity: return value(text_field(field.bytes, 1));
      case Kind::kIntOrString: return int_or_string(field.bytes);
      case Kind::kTime:
      case Kind::kMicroTime: return time(field.bytes, shape.kind);
      case Kind::kAny: return raw(field.bytes);
      case Kind::kObject: {
        object members;
        TRY_API(read_message(field.bytes, shape, {}, members));
        return value(std::move(members));
      }
      case Kind::kList:
      case Kind::kMap: break;  // nested lists and maps occur only in reviews, whose values are not read
    }
    return value();
  }

  static value int_or_string(std::string_view bytes) {
    const auto type = find_field(bytes, 1);
    if (type && type->integer == 1) return value(text_field(bytes, 3));
    const auto number = find_field(bytes, 2);
    return value(number ? static_cast<int64_t>(number->integer) : int64_t{0});
  }

  static value time(std::string_view bytes, Kind kind) {
    const auto seconds = find_field(bytes, 1), nanos = find_field(bytes, 2);
    if (!seconds) return nullptr;
    const Instant at{std::chrono::seconds(static_cast<int64_t>(seconds->integer)) +
                     std::chrono::nanoseconds(nanos ? static_cast<int64_t>(nanos->integer) : 0)};
    return value(kind == Kind::kTime ? format_rfc3339(at) : format_rfc3339_micro(at));
  }

  // Reads RawExtension or FieldsV1: JSON in the first field.
  static Answer<value> raw(std::string_view bytes) {
    auto parsed = json::parse(text_field(bytes, 1));
    if (!parsed) return malformed();
    return std::move(*parsed);
  }

  int depth_ = 0;
};

}  // namespace

Answer<value> parse_protobuf(std::string_view body) {
  if (!body.starts_with(kMagic)) return malformed();
  const std::string_view envelope = body.substr(kMagic.size());
  const auto type = find_field(envelope, 1), content = find_field(envelope, 2);
  if (!type) return malformed();
  const std::string api_version = text_field(type->bytes, 1), kind = text_field(type->bytes, 2);
  const Shape* shape = builtin_shape(api_version, kind);
  if (shape == nullptr)
    return refuse(unsupported_media_type("no protobuf is known for " + kind + " in " + api_version));
  object result{{"apiVersion", api_version}, {"kind", kind}};
  if (content) TRY_API(ProtobufReader().read_message(content->bytes, *shape, {}, result));
  return value(std::move(result));
}

}  // namespace tenon::kubesim::apiserver
