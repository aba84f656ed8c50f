// The string formats that an API server checks. Others (int32, int64, quantity, …) say nothing.
// Not checked, unlike in a real API server: isbn, isbn10, isbn13, creditcard.
// parity: k8s.io/apiextensions-apiserver pkg/apiserver/validation/formats.go, k8s.io/kube-openapi pkg/validation/strfmt
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace tenon::minicluster::schema {

bool known_format(std::string_view format);
// The format must be known.
bool matches_format(std::string_view format, std::string_view text);

}  // namespace tenon::minicluster::schema
