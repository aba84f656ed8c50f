// Fields of manifests that nobody knows: a slip of the pen that an API server would refuse or drop, and that would
// change a plan without a word. What an API server has stored (it has a uid) is not looked at: it has been through
// that, and may be of a later version than what is known here. Nor are statuses.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/plan_documents.h"

namespace tenon::cli {

class UnknownFields {
 public:
  UnknownFields();
  ~UnknownFields();
  void look(const Document& document);
  // A sentence for each field of a kind: "pods.yaml: document 2: spec.nodeSelecter: Pod a has no such field; it is
  // ignored (and in 3 more)". At most kMaxUnknownFields, the first ones.
  std::vector<std::string> warnings() const;

 private:
  struct Schemas;
  struct Found {
    std::string first;
    size_t more = 0;
  };
  std::unique_ptr<Schemas> schemas_;  // of custom resources; null: not needed yet
  std::vector<std::string> order_;
  std::map<std::string, Found> found_;  // by kind and field, whatever the item of a list
};

inline constexpr size_t kMaxUnknownFields = 50;  // that are named

}  // namespace tenon::cli
