// TypeNames: the instance types that a node may become, cheapest first. Nodes of one plan mostly share one list of
// hundreds of names, so it is held once. Value type; reads like a const vector.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace tenon::scheduling {

class TypeNames {
 public:
  TypeNames() : TypeNames(std::vector<std::string>{}) {}
  TypeNames(std::vector<std::string> names)  // NOLINT: a list of names is one
      : names_(std::make_shared<const std::vector<std::string>>(std::move(names))) {}
  TypeNames(std::initializer_list<std::string> names) : TypeNames(std::vector<std::string>(names)) {}

  operator const std::vector<std::string>&() const { return *names_; }  // NOLINT
  const std::vector<std::string>& list() const { return *names_; }
  auto begin() const { return names_->begin(); }
  auto end() const { return names_->end(); }
  size_t size() const { return names_->size(); }
  bool empty() const { return names_->empty(); }
  const std::string& front() const { return names_->front(); }
  const std::string& operator[](size_t i) const { return (*names_)[i]; }
  using value_type = std::string;
  using const_iterator = std::vector<std::string>::const_iterator;
  friend bool operator==(const TypeNames& a, const TypeNames& b) {
    return a.names_ == b.names_ || *a.names_ == *b.names_;
  }

 private:
  std::shared_ptr<const std::vector<std::string>> names_;
};

}  // namespace tenon::scheduling
