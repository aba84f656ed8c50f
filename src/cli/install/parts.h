// What `tenon install` can print: one row for each WHAT. A new part is a row of parts.cc and a function that renders
// it. Thread rule: any thread; the table never changes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/install/settings.h"

namespace tenon::cli::install {

struct Request {
  Settings settings;  // of --set, in their order; the part checks them
  std::string only;   // the one document to print; empty: all
};

struct Part {
  std::string_view name;  // "iam"
  // Returns the whole text, with a newline at its end. Errors: kInvalid, which names the key or the document.
  Result<std::string> (*render)(const Request& request);
};

std::span<const Part> parts();

}  // namespace tenon::cli::install
