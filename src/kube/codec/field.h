// Field: one value of a document during decoding. A value of the wrong type does not stop the decoding: the first
// complaint is kept, and take() returns it as the error. The path is computed only then.
//
//   Problem problem(document);
//   const Field pod(document, problem);
//   out.node_name = pod["spec"]["nodeName"].text();
//   return problem.take(std::move(out));
//
// Fields point into the document and are inexpensive to copy. Absent and null are the same: every reader has a default.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "model/meta.h"
#include "model/quantity.h"

namespace tenon::kube::codec {

class Problem {
 public:
  // With `fault`, take() writes the complaint to it and returns the decoded value in any case.
  explicit Problem(const boost::json::value& document, std::string* fault = nullptr)
      : document_(document), fault_(fault) {}
  // Keeps the first complaint.
  void add(const boost::json::value& at, std::string_view what);
  // Returns the path of `at` in the document: "spec.containers[0].name"; empty for the document itself.
  std::string path(const boost::json::value& at) const;

  template <class T>
  Result<T> take(T decoded) {
    if (fault_) *fault_ = error_ ? error_->message : std::string();
    if (error_ && !fault_) return fail(*std::move(error_));
    return decoded;
  }

 private:
  const boost::json::value& document_;
  std::string* const fault_;
  std::optional<Error> error_;
};

class Field {
 public:
  Field(const boost::json::value& v, Problem& problem) : value_(&v), problem_(&problem) {}

  // Returns a member; absent if this field is absent.
  Field operator[](std::string_view key) const;
  bool present() const { return value_ != nullptr; }
  std::string path() const;  // of a present field

  std::string text(std::string_view otherwise = {}) const;
  int64_t integer(int64_t otherwise = 0) const;
  int int32(int otherwise = 0) const;
  bool boolean(bool otherwise = false) const;
  std::optional<int64_t> optional_integer() const;
  std::optional<int> optional_int32() const;
  std::optional<bool> optional_boolean() const;
  std::optional<Instant> time() const;  // RFC 3339
  model::Quantity quantity() const;     // a string or a number
  Duration duration() const;            // Go's syntax
  std::string text_or_number() const;   // IntOrString, as text
  // Returns one of these words, or adds a complaint that lists them; `otherwise` if absent.
  std::string one_of(std::initializer_list<std::string_view> words, std::string_view otherwise = {}) const;

  std::vector<Field> items() const;
  std::vector<std::pair<std::string_view, Field>> members() const;
  std::vector<std::string> texts() const;  // a list of strings
  model::StringMap string_map() const;

  // Adds the complaint `what` about this (present) field.
  void complain(std::string_view what) const;

 private:
  Field(const boost::json::value* v, Problem* problem) : value_(v), problem_(problem) {}
  std::string shown() const;

  const boost::json::value* value_;
  Problem* problem_;
};

}  // namespace tenon::kube::codec
