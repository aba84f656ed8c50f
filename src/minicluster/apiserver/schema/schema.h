// A CRD version's structural schema (spec.versions[].schema.openAPIV3Schema), compiled once: what the API server does
// to and asks of an object of that kind. Order of use on a write:
//
//   auto schema = TRY(CrdSchema::compile(open_api_v3_schema));
//   std::vector<std::string> unknown = schema->prune(object);     // fieldValidation Strict: refuse; Warn: a warning
//   each schema->apply_defaults(object); std::vector<Cause> causes = schema->validate(object, old);    // empty: the
//   object is good
//   // 422: message = `Kind.group "name" is invalid: ` + aggregate(causes); details.causes = causes
//
// An object's first write is asked every rule; once it came through (known by its uid), later ones ask of what they
// leave unchanged only the rules over oldSelf: all others saw the same before. A changed definition is another
// CrdSchema, which begins anew. Any thread may use it. A schema that says nothing about apiVersion, kind and metadata
// at its root (or in x-kubernetes-embedded-resource objects) leaves those three alone; metadata itself is the API
// server's to check. parity: k8s.io/apiextensions-apiserver v0.31 pkg/apiserver/schema, k8s.io/kube-openapi
// pkg/validation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace tenon::minicluster {

// One entry of Status.details.causes, spelt as there.
struct Cause {
  std::string reason;   // FieldValueInvalid, FieldValueRequired, FieldValueNotSupported, FieldValueTypeInvalid, …
  std::string message;  // `Unsupported value: "Foo": supported values: "In", "NotIn"`; does not name the field
  std::string field;    // spec.template.spec.requirements[0].operator
  friend bool operator==(const Cause&, const Cause&) = default;
};

// The part of a Status message after `is invalid: `: "field: message", several as "[a, b]", equal ones once.
std::string aggregate(const std::vector<Cause>& causes);

class CrdSchema {
 public:
  // Errors: kInvalid naming the schema's path and the cause (unknown type, bad pattern, CEL that does not parse, …).
  static Result<std::shared_ptr<const CrdSchema>> compile(const boost::json::value& open_api_v3_schema);
  ~CrdSchema();

  // Fills what is missing from `default`; also replaces a null by the default where the schema is not nullable.
  void apply_defaults(boost::json::value& object) const;

  // Removes the fields that the schema does not know; returns their paths, in order: "spec.foo", "spec.list[1].bar".
  std::vector<std::string> prune(boost::json::value& object) const;

  // old_object: null on create. On an update what did not change is not held against the object (ratcheting, as since
  // Kubernetes 1.30), and rules over oldSelf apply to what has an old counterpart. Capped at 100 causes; the order is
  // that of the document's fields, rules last: the same input gives the same list.
  std::vector<Cause> validate(const boost::json::value& object, const boost::json::value* old_object) const;

 private:
  struct Impl;
  explicit CrdSchema(std::unique_ptr<const Impl> impl);
  std::unique_ptr<const Impl> impl_;
};

}  // namespace tenon::minicluster
