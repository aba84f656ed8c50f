// What an API server says about a document: the embedded one, with every CRD of ours, answers a dry run of its
// creation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <memory>
#include <string>

#include "base/result.h"
#include "cli/validate/finding.h"

namespace tenon::cli {

class ApiCheck {
 public:
  static Result<std::unique_ptr<ApiCheck>> make();
  ~ApiCheck();
  // A kind that the server does not know is a note: nothing is said about its fields.
  Findings check(const boost::json::value& document);

 private:
  ApiCheck();
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace tenon::cli
