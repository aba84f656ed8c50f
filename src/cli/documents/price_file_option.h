// --price-file: reads and parses it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "catalog/price_file.h"

namespace tenon::cli {

// Errors: kInvalid, "--price-file prices.yaml: multipliers[0].factor: …".
Result<catalog::PriceFile> read_price_file(const std::string& path);

}  // namespace tenon::cli
