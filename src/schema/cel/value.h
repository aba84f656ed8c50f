// A value of the Common Expression Language with Kubernetes' extensions: null, bool, int, uint, double, string, bytes,
// duration, timestamp, list, map, type, optional and Kubernetes' quantity. Values are immutable and cheap to copy.
//
// Lists and maps are interfaces, so that a JSON document is read in place (see decl.h); such a value must not outlive
// the document. Thread rule: any thread; values are immutable. parity: github.com/google/cel-go v0.26 common/types.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "model/quantity.h"

namespace tenon::cel {

class Value;

// The remaining cost of an evaluation, in steps: about one step per visited node, element and ten bytes of text.
class Budget {
 public:
  explicit Budget(int64_t steps) : left_(steps) {}
  // Errors: kThrottled if the budget is exhausted; every later call fails as well.
  Status spend(int64_t steps);
  bool exhausted() const { return left_ < 0; }
  int64_t left() const { return left_; }

 private:
  int64_t left_;
};

class List {
 public:
  enum class Kind { kAtomic, kSet, kMap };
  virtual ~List() = default;
  virtual size_t size() const = 0;
  virtual Result<Value> at(size_t index) const = 0;  // index < size()
  // x-kubernetes-list-type of the schema, which determines == and + of the list.
  virtual Kind kind() const { return Kind::kAtomic; }
  virtual const std::vector<std::string>& keys() const;  // x-kubernetes-list-map-keys
};

class Map {
 public:
  virtual ~Map() = default;
  virtual size_t size() const = 0;
  virtual Result<std::optional<Value>> find(const Value& key) const = 0;
  virtual std::vector<Value> keys() const = 0;  // in the document's order
};

using ListPtr = std::shared_ptr<const List>;
using MapPtr = std::shared_ptr<const Map>;

struct Bytes {
  std::string data;
};
struct TypeName {
  std::string_view name;  // refers to a static string
};
struct Optional {
  std::shared_ptr<const Value> value;  // null: no value
};

class Value {
 public:
  enum class Type {
    kNull,
    kBool,
    kInt,
    kUint,
    kDouble,
    kString,
    kBytes,
    kDuration,
    kTimestamp,
    kList,
    kMap,
    kType,
    kOptional,
    kQuantity
  };
  using Data = std::variant<std::monostate, bool, int64_t, uint64_t, double, std::string, Bytes, Duration, Instant,
                            ListPtr, MapPtr, TypeName, Optional, model::Quantity>;

  Value() = default;
  explicit Value(Data data) : data_(std::move(data)) {}

  Type type() const { return static_cast<Type>(data_.index()); }
  std::string_view type_name() const;  // "int", "null_type", "google.protobuf.Timestamp", …

  // Returns the payload; null if the value has another type.
  template <class T>
  const T* get() const {
    return std::get_if<T>(&data_);
  }

 private:
  Data data_;
};

Value make_list(std::vector<Value> items, List::Kind kind = List::Kind::kAtomic, std::vector<std::string> keys = {});
Value make_map(std::vector<std::pair<Value, Value>> entries);  // for equal keys, the last entry wins
Value make_string(std::string_view text);

// Evaluates ==. Numbers compare across their types; values of other different types are not equal. Lists of kind set or
// map ignore order.
Result<bool> equal(const Value& a, const Value& b, Budget& budget);
// Returns -1, 0 or 1; 2 if one of the values is NaN. Errors: "no such overload" for types without an order.
Result<int> compare(const Value& a, const Value& b, Budget& budget);
// Evaluates x + y of lists, by the kind of x. Errors: the budget's.
Result<Value> concatenate(const ListPtr& x, const ListPtr& y, Budget& budget);

// Evaluation errors have code kInvalid and cel-go's texts.
tl::unexpected<Error> eval_error(std::string text);
tl::unexpected<Error> no_such_overload();

// Formats like Go's %v or strconv 'g' for float64: 1e+06, 0.1, 2.
std::string format_go_double(double d);

}  // namespace tenon::cel
