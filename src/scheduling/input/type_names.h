// TypeNames: the instance types that a node may become, cheapest first. The nodes of one NodePool choose from the same
// hundreds of names, so all of them share one table of names, and nodes with the same choice share their list of
// indexes. Value type; reads like a const vector.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace tenon::scheduling {

class TypeNames {
 public:
  using Table = std::shared_ptr<const std::vector<std::string>>;

  TypeNames() : TypeNames(std::vector<std::string>{}) {}
  TypeNames(std::vector<std::string> names)  // NOLINT: a list of names is one
      : table_(std::make_shared<const std::vector<std::string>>(std::move(names))) {}
  TypeNames(std::initializer_list<std::string> names) : TypeNames(std::vector<std::string>(names)) {}
  // `chosen`: indexes into the table.
  TypeNames(Table table, std::vector<uint32_t> chosen)
      : table_(std::move(table)), chosen_(std::make_shared<const std::vector<uint32_t>>(std::move(chosen))) {}

  class const_iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = std::string;
    using difference_type = std::ptrdiff_t;
    using pointer = const std::string*;
    using reference = const std::string&;
    const_iterator() = default;
    const_iterator(const TypeNames* names, size_t at) : names_(names), at_(at) {}
    reference operator*() const { return (*names_)[at_]; }
    pointer operator->() const { return &**this; }
    const_iterator& operator++() {
      ++at_;
      return *this;
    }
    const_iterator operator++(int) { return {names_, at_++}; }
    friend bool operator==(const const_iterator&, const const_iterator&) = default;

   private:
    const TypeNames* names_ = nullptr;
    size_t at_ = 0;
  };
  using value_type = std::string;

  const_iterator begin() const { return {this, 0}; }
  const_iterator end() const { return {this, size()}; }
  size_t size() const { return chosen_ ? chosen_->size() : table_->size(); }
  bool empty() const { return size() == 0; }
  const std::string& front() const { return (*this)[0]; }
  const std::string& operator[](size_t i) const { return (*table_)[chosen_ ? (*chosen_)[i] : i]; }
  std::vector<std::string> list() const { return {begin(), end()}; }
  operator std::vector<std::string>() const { return list(); }  // NOLINT
  friend bool operator==(const TypeNames& a, const TypeNames& b) {
    if (a.table_ == b.table_ && a.chosen_ == b.chosen_) return true;
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
  }

 private:
  Table table_;
  std::shared_ptr<const std::vector<uint32_t>> chosen_;  // indexes into the table; null: all of it
};

}  // namespace tenon::scheduling
