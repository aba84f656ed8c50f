// SPDX-License-Identifier: Apache-2.0
#include "cli/documents/price_file_option.h"

#include <iostream>

#include "cli/documents/plan_documents.h"

namespace tenon::cli {

Result<catalog::PriceFile> read_price_file(const std::string& path) {
  const std::string text = TRY_IN("--price-file", read_text(path, std::cin));
  return TRY_IN("--price-file " + path, catalog::parse_price_file(text));
}

}  // namespace tenon::cli
