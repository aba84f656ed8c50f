// Compresses answers of test servers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace tenon::http::testing {

// Compresses the text in the gzip format.
std::string gzip(std::string_view text);

}  // namespace tenon::http::testing
