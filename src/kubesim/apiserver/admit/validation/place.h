// A value under validation, with the path that its errors name. All errors are appended to one list of causes.
//
//   Place spec = …;
//   if (!spec["schedule"]) spec["schedule"].required();
//   spec["containers"].each([](Place c) { c["name"].named(check_dns_label); });
//
// Objects are already decoded: fields have the declared types or are missing. A Place borrows the object and the list.
// The messages are those of a real API server. Thread rule: one thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kubesim/apiserver/base/error.h"

namespace tenon::kubesim::apiserver::validation {

using NameCheck = std::optional<std::string> (*)(std::string_view);

class Place {
 public:
  Place(const boost::json::value* at, std::string path, std::vector<Cause>& causes)
      : at_(at), path_(std::move(path)), causes_(&causes) {}

  Place operator[](std::string_view field) const;                   // spec.nodeName
  Place key(std::string_view name) const;                           // limits[cpu], of the same object
  void each(const std::function<void(const Place&)>& visit) const;  // items of a list
  void each_key(const std::function<void(const Place&, std::string_view)>& visit) const;  // members of a map

  explicit operator bool() const { return at_ != nullptr; }
  bool empty() const;  // missing, "", [], {}
  std::string_view text() const;
  int64_t number(int64_t otherwise = 0) const;
  bool flag() const;
  size_t size() const;
  const boost::json::value& value() const;  // null if missing
  const std::string& path() const { return path_; }
  std::vector<Cause>& causes() const { return *causes_; }

  void invalid(std::string_view detail) const;
  void invalid(const boost::json::value& shown, std::string_view detail) const;
  void required(std::string_view detail = {}) const;
  void forbidden(std::string_view detail) const;
  void duplicate() const;
  void not_supported(const std::vector<std::string_view>& allowed) const;
  void not_found() const;

  // Common rules. A missing value passes unless the rule says otherwise.
  void named(NameCheck check) const;  // as text
  void qualified() const;             // a label key; a missing key is an error
  void one_of(const std::vector<std::string_view>& allowed) const;
  void one_of_required(const std::vector<std::string_view>& allowed) const;
  void not_negative() const;
  void in_range(int64_t low, int64_t high) const;
  void unique(std::set<std::string>& seen) const;  // as text

 private:
  const boost::json::value* at_;
  std::string path_;
  std::vector<Cause>* causes_;
};

}  // namespace tenon::kubesim::apiserver::validation
