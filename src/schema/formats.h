// The string formats that an API server checks. Other formats (int32, int64, quantity, …) have no effect.
// Unlike a real API server, this one does not check isbn, isbn10, isbn13 and creditcard.
// parity: k8s.io/apiextensions-apiserver pkg/apiserver/validation/formats.go, k8s.io/kube-openapi pkg/validation/strfmt
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace tenon::schema {

bool known_format(std::string_view format);
// The format must be known.
bool matches_format(std::string_view format, std::string_view text);

}  // namespace tenon::schema
