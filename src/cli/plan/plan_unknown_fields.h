// Unknown fields of manifests: typing errors that an API server would reject or drop, and that would silently change a
// plan. Objects that an API server has stored (they have a uid) are not checked: the server has validated them, and
// they may be of a later version. Statuses are not checked either.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/documents/plan_documents.h"

namespace tenon::cli {

class UnknownFields {
 public:
  UnknownFields();
  ~UnknownFields();
  void check_document(const Document& document);
  // Returns one message for each field of a kind: "pods.yaml: document 2: spec.nodeSelecter: Pod a has no such field;
  // it is ignored (and in 3 more)". At most kMaxUnknownFields, the first ones.
  std::vector<std::string> warnings() const;

 private:
  struct Schemas;
  struct Found {
    std::string first;
    size_t more = 0;
  };
  std::unique_ptr<Schemas> schemas_;  // of custom resources; null: not needed yet
  std::vector<std::string> order_;
  std::map<std::string, Found> found_;  // by kind and field, without indexes of list items
};

inline constexpr size_t kMaxUnknownFields = 50;  // in warnings

}  // namespace tenon::cli
