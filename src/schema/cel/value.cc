// SPDX-License-Identifier: Apache-2.0
#include "schema/cel/value.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace tenon::cel {
namespace {

constexpr std::string_view kTypeNames[] = {"null_type",
                                           "bool",
                                           "int",
                                           "uint",
                                           "double",
                                           "string",
                                           "bytes",
                                           "google.protobuf.Duration",
                                           "google.protobuf.Timestamp",
                                           "list",
                                           "map",
                                           "type",
                                           "optional_type",
                                           "kubernetes.Quantity"};

class NativeList final : public List {
 public:
  NativeList(std::vector<Value> items, Kind kind, std::vector<std::string> keys)
      : items_(std::move(items)), kind_(kind), keys_(std::move(keys)) {}
  size_t size() const override { return items_.size(); }
  Result<Value> at(size_t index) const override { return items_[index]; }
  Kind kind() const override { return kind_; }
  const std::vector<std::string>& keys() const override { return keys_; }

 private:
  const std::vector<Value> items_;
  const Kind kind_;
  const std::vector<std::string> keys_;
};

// The map of a literal. It has few entries, because its text is limited; a linear scan is sufficient.
class NativeMap final : public Map {
 public:
  explicit NativeMap(std::vector<std::pair<Value, Value>> entries) : entries_(std::move(entries)) {}
  size_t size() const override { return entries_.size(); }
  Result<std::optional<Value>> find(const Value& key) const override {
    Budget free(INT64_MAX);
    for (const auto& [k, v] : entries_)
      if (TRY(equal(k, key, free))) return std::optional<Value>(v);
    return std::optional<Value>();
  }
  std::vector<Value> keys() const override {
    std::vector<Value> out;
    for (const auto& entry : entries_) out.push_back(entry.first);
    return out;
  }

 private:
  const std::vector<std::pair<Value, Value>> entries_;
};

template <class T>
int sign(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

// An integer beyond 2^53 is rounded to a double first, as in cel-go.
int compare_int_double(int64_t i, double d) {
  if (std::isnan(d)) return 2;
  if (d > 9223372036854775808.0) return -1;
  if (d < -9223372036854775808.0) return 1;
  return sign(static_cast<double>(i), d);
}

int compare_uint_double(uint64_t u, double d) {
  if (std::isnan(d)) return 2;
  if (d > 18446744073709551616.0) return -1;
  if (d < 0) return 1;
  return sign(static_cast<double>(u), d);
}

int compare_int_uint(int64_t i, uint64_t u) { return i < 0 ? -1 : sign(static_cast<uint64_t>(i), u); }

int flip(int order) { return order == 2 ? 2 : -order; }

// Returns std::nullopt if one of the two has no numeric type.
std::optional<int> compare_numbers(const Value& a, const Value& b) {
  if (const auto* x = a.get<int64_t>()) {
    if (const auto* y = b.get<int64_t>()) return sign(*x, *y);
    if (const auto* y = b.get<uint64_t>()) return compare_int_uint(*x, *y);
    if (const auto* y = b.get<double>()) return compare_int_double(*x, *y);
  } else if (const auto* u = a.get<uint64_t>()) {
    if (const auto* y = b.get<int64_t>()) return flip(compare_int_uint(*y, *u));
    if (const auto* y = b.get<uint64_t>()) return sign(*u, *y);
    if (const auto* y = b.get<double>()) return compare_uint_double(*u, *y);
  } else if (const auto* d = a.get<double>()) {
    if (const auto* y = b.get<int64_t>()) return flip(compare_int_double(*y, *d));
    if (const auto* y = b.get<uint64_t>()) return flip(compare_uint_double(*y, *d));
    if (const auto* y = b.get<double>()) return std::isnan(*d) || std::isnan(*y) ? 2 : sign(*d, *y);
  }
  return std::nullopt;
}

// Whether two elements are the same entry of `list`: equal keys in a list of kind map, equal values in other lists.
Result<bool> same_place(const List& list, const Value& a, const Value& b, Budget& budget) {
  const MapPtr* x = a.get<MapPtr>();
  const MapPtr* y = b.get<MapPtr>();
  if (list.kind() != List::Kind::kMap || !x || !y) return equal(a, b, budget);
  for (const std::string& key : list.keys()) {
    const std::optional<Value> left = TRY((*x)->find(make_string(key)));
    const std::optional<Value> right = TRY((*y)->find(make_string(key)));
    if (left.has_value() != right.has_value()) return false;
    if (left && !TRY(equal(*left, *right, budget))) return false;
  }
  return true;
}

// Returns the index of `item` in `list`, or the size of `list` if it has no such item.
Result<size_t> place_of(const List& list, const Value& item, Budget& budget) {
  for (size_t i = 0; i < list.size(); ++i) {
    const Value at = TRY(list.at(i));
    if (TRY(same_place(list, at, item, budget))) return i;
  }
  return list.size();
}

Result<bool> equal_lists(const List& a, const List& b, Budget& budget) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < b.size(); ++i) {
    const Value right = TRY(b.at(i));
    size_t at = i;
    if (a.kind() != List::Kind::kAtomic) {
      at = TRY(place_of(a, right, budget));
      if (at == a.size()) return false;
    }
    const Value left = TRY(a.at(at));
    if (!TRY(equal(left, right, budget))) return false;
  }
  return true;
}

Result<bool> equal_maps(const Map& a, const Map& b, Budget& budget) {
  if (a.size() != b.size()) return false;
  for (const Value& key : a.keys()) {
    const std::optional<Value> left = TRY(a.find(key));
    const std::optional<Value> right = TRY(b.find(key));
    if (left.has_value() != right.has_value()) return false;
    if (left && !TRY(equal(*left, *right, budget))) return false;
  }
  return true;
}

int64_t text_steps(size_t bytes) { return 1 + static_cast<int64_t>(bytes / 10); }

}  // namespace

const std::vector<std::string>& List::keys() const {
  static const std::vector<std::string> none;
  return none;
}

Status Budget::spend(int64_t steps) {
  if (left_ >= 0) left_ = left_ >= steps ? left_ - steps : -1;
  if (left_ < 0) return fail(Code::kThrottled, "operation cancelled: actual cost limit exceeded");
  return ok();
}

std::string_view Value::type_name() const { return kTypeNames[data_.index()]; }

Value make_list(std::vector<Value> items, List::Kind kind, std::vector<std::string> keys) {
  return Value(ListPtr(std::make_shared<NativeList>(std::move(items), kind, std::move(keys))));
}

Value make_map(std::vector<std::pair<Value, Value>> entries) {
  std::vector<std::pair<Value, Value>> unique;
  Budget free(INT64_MAX);
  for (auto& entry : entries) {
    bool found = false;
    for (auto& kept : unique) {
      const Result<bool> same = equal(kept.first, entry.first, free);
      if (!same || !*same) continue;
      kept.second = entry.second;
      found = true;
    }
    if (!found) unique.push_back(std::move(entry));
  }
  return Value(MapPtr(std::make_shared<NativeMap>(std::move(unique))));
}

Value make_string(std::string_view text) { return Value(std::string(text)); }

Result<bool> equal(const Value& a, const Value& b, Budget& budget) {
  TRY(budget.spend(1));
  if (const auto numbers = compare_numbers(a, b)) return *numbers == 0;
  if (a.type() != b.type()) return false;
  switch (a.type()) {
    case Value::Type::kNull: return true;
    case Value::Type::kList: return equal_lists(**a.get<ListPtr>(), **b.get<ListPtr>(), budget);
    case Value::Type::kMap: return equal_maps(**a.get<MapPtr>(), **b.get<MapPtr>(), budget);
    case Value::Type::kType: return a.get<TypeName>()->name == b.get<TypeName>()->name;
    case Value::Type::kQuantity: return *a.get<model::Quantity>() == *b.get<model::Quantity>();
    case Value::Type::kOptional: {
      const auto& x = a.get<Optional>()->value;
      const auto& y = b.get<Optional>()->value;
      if (!x || !y) return !x && !y;
      return equal(*x, *y, budget);
    }
    default: return TRY(compare(a, b, budget)) == 0;
  }
}

Result<int> compare(const Value& a, const Value& b, Budget& budget) {
  TRY(budget.spend(1));
  if (const auto numbers = compare_numbers(a, b)) return *numbers;
  if (a.type() != b.type()) return no_such_overload();
  switch (a.type()) {
    case Value::Type::kBool: return sign(*a.get<bool>(), *b.get<bool>());
    case Value::Type::kString: {
      const std::string& x = *a.get<std::string>();
      const std::string& y = *b.get<std::string>();
      TRY(budget.spend(text_steps(std::min(x.size(), y.size()))));
      return sign(x, y);
    }
    case Value::Type::kBytes: return sign(a.get<Bytes>()->data, b.get<Bytes>()->data);
    case Value::Type::kDuration: return sign(*a.get<Duration>(), *b.get<Duration>());
    case Value::Type::kTimestamp: return sign(*a.get<Instant>(), *b.get<Instant>());
    default: return no_such_overload();
  }
}

Result<Value> concatenate(const ListPtr& x, const ListPtr& y, Budget& budget) {
  TRY(budget.spend(static_cast<int64_t>(x->size() + y->size())));
  std::vector<Value> items;
  for (size_t i = 0; i < x->size(); ++i) items.push_back(TRY(x->at(i)));
  for (size_t i = 0; i < y->size(); ++i) {
    Value item = TRY(y->at(i));
    const size_t place = x->kind() == List::Kind::kAtomic ? x->size() : TRY(place_of(*x, item, budget));
    if (place == x->size()) {
      items.push_back(std::move(item));
    } else {
      items[place] = std::move(item);
    }
  }
  return make_list(std::move(items), x->kind(), x->keys());
}

tl::unexpected<Error> eval_error(std::string text) { return fail(Code::kInvalid, std::move(text)); }
tl::unexpected<Error> no_such_overload() { return eval_error("no such overload"); }

std::string format_go_double(double d) {
  if (std::isnan(d)) return "NaN";
  if (std::isinf(d)) return d > 0 ? "+Inf" : "-Inf";
  char buffer[64];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, d, std::chars_format::scientific).ptr;
  const std::string_view text(buffer, static_cast<size_t>(end - buffer));
  const size_t e = text.find('e');
  int exponent = 0;
  std::from_chars(text.data() + e + (text[e + 1] == '+' ? 2 : 1), text.data() + text.size(), exponent);
  if (exponent < -4 || exponent >= 6) return std::string(text);
  end = std::to_chars(buffer, buffer + sizeof buffer, d, std::chars_format::fixed).ptr;
  return std::string(buffer, end);
}

}  // namespace tenon::cel
