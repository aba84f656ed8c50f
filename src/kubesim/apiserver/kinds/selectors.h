// Label and field selectors of list and watch requests, and metav1.LabelSelector. Value types; any thread.
// parity: k8s.io/apimachinery/pkg/{labels,fields}
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "kubesim/apiserver/base/error.h"
#include "kubesim/apiserver/kinds/registry.h"

namespace tenon::kubesim::apiserver {

struct LabelTerm {
  enum class Op { kIn, kNotIn, kExists, kNotExists, kGreater, kLess };
  std::string key;
  Op op = Op::kExists;
  std::vector<std::string> values;
};

class Labels {
 public:
  // "a=b,c!=d,e in (f,g),!h,i". Errors: 400.
  static Answer<Labels> parse(std::string_view text);
  // Converts a metav1.LabelSelector. A missing selector (null) selects nothing.
  static Labels of_selector(const boost::json::value* selector);
  bool matches(const boost::json::value& object) const;
  bool everything() const { return !nothing_ && terms_.empty(); }

 private:
  bool nothing_ = false;
  std::vector<LabelTerm> terms_;
};

class Fields {
 public:
  // "spec.nodeName=x,status.phase!=Failed". Errors: 400 for a field that is not selectable for this kind.
  static Answer<Fields> parse(const ResourceInfo& info, std::string_view text);
  bool matches(const boost::json::value& object) const;
  bool everything() const { return terms_.empty(); }

 private:
  struct Term {
    std::vector<std::string> path;
    std::string wanted;
    bool equal = true;
  };
  std::vector<Term> terms_;
};

}  // namespace tenon::kubesim::apiserver
