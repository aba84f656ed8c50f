// The schemas of the CRDs that the binary holds: v1, and those of v0.27. Checks and completes an object as the API
// server with these CRDs does, except for rules that compare it with its earlier state.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "schema/schema.h"

namespace tenon::schema {

// Thread rule: immutable after make(); any thread.
class KnownSchemas {
 public:
  // Errors: kInvalid, a CRD in the binary is malformed.
  static Result<KnownSchemas> make();

  // Returns what the API server refuses, as "field: message"; empty also for kinds without a CRD here.
  std::vector<std::string> faults(const boost::json::value& document) const;
  // Returns the document as the API server stores it: defaults filled in. Another kind is unchanged.
  boost::json::value with_defaults(boost::json::value document) const;

 private:
  const CrdSchema* find(const boost::json::value& document) const;
  Status add(const boost::json::value& crd);
  std::map<std::string, std::shared_ptr<const CrdSchema>> schemas_;  // by "apiVersion kind"
};

}  // namespace tenon::schema
