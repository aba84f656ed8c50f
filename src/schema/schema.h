// The structural schema of a CRD version (spec.versions[].schema.openAPIV3Schema), compiled once: pruning, defaults and
// validation of the objects of that kind. Order of use on a write:
//
//   auto schema = TRY(CrdSchema::compile(open_api_v3_schema));
//   std::vector<std::string> unknown = schema->prune(object);   // fieldValidation Strict: reject; Warn: a warning each
//   schema->apply_defaults(object);
//   std::vector<Cause> causes = schema->validate(object, old);  // empty: the object is valid
//   // 422: message = `Kind.group "name" is invalid: ` + aggregate(causes); details.causes = causes
//
// The first write of an object is validated with all CEL rules. After that write has passed (the schema stores the
// uid), the unchanged parts of later writes are validated with the rules over oldSelf only: all other rules have passed
// with the same values. A changed definition is another CrdSchema, which has no stored uids. Thread rule: any thread.
// prune() keeps apiVersion, kind and metadata at the root (and in x-kubernetes-embedded-resource objects) even if the
// schema does not declare them; the API server validates metadata itself.
// parity: k8s.io/apiextensions-apiserver v0.31 pkg/apiserver/schema, k8s.io/kube-openapi pkg/validation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace tenon::schema {

// One entry of Status.details.causes, with the same spelling.
struct Cause {
  std::string reason;   // FieldValueInvalid, FieldValueRequired, FieldValueNotSupported, FieldValueTypeInvalid, …
  std::string message;  // `Unsupported value: "Foo": supported values: "In", "NotIn"`; does not name the field
  std::string field;    // spec.template.spec.requirements[0].operator
  friend bool operator==(const Cause&, const Cause&) = default;
};

// Returns the part of a Status message after `is invalid: `: "field: message", or "[a, b]" for several causes. Equal
// causes appear once.
std::string aggregate(const std::vector<Cause>& causes);

class CrdSchema {
 public:
  // Errors: kInvalid naming the schema's path and the cause (unknown type, bad pattern, CEL that does not parse, …).
  static Result<std::shared_ptr<const CrdSchema>> compile(const boost::json::value& open_api_v3_schema);
  ~CrdSchema();

  // Sets missing fields to their `default`. If a field is not nullable, replaces its null by the default or removes it.
  void apply_defaults(boost::json::value& object) const;

  // Removes the fields that the schema does not declare. Returns their paths, sorted: "spec.foo", "spec.list[1].bar".
  std::vector<std::string> prune(boost::json::value& object) const;

  // old_object: null on create. On an update, unchanged values cause no errors (ratcheting, as since Kubernetes 1.30),
  // and rules over oldSelf apply to the values that have an old counterpart. Values, list entries and rules are checked
  // in this order, and each of the three steps reports at most 100 causes. Equal input gives equal causes.
  std::vector<Cause> validate(const boost::json::value& object, const boost::json::value* old_object) const;

 private:
  struct Impl;
  explicit CrdSchema(std::unique_ptr<const Impl> impl);
  std::unique_ptr<const Impl> impl_;
};

}  // namespace tenon::schema
