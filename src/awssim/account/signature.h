// Checks AWS Signature Version 4, in headers and in presigned URLs. Written from the public description of the
// algorithm; shares no code with the client's signer. Pure functions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/instant.h"
#include "http/handler.h"

namespace tenon::awssim {

inline constexpr Duration kMaxClockSkew = 5min;

// The signature fields of a request, unchecked.
struct SignatureClaim {
  std::string access_key_id, date, region, service;  // date: 20261120
  std::string signed_headers, signature;             // "host;x-amz-date"; hex
  std::string timestamp;                             // 20261120T234845Z
  bool presigned = false;
};
// Returns std::nullopt if the request carries no (readable) signature.
std::optional<SignatureClaim> read_signature(const http::ServerRequest& request);

enum class SignatureVerdict { kGood, kMissing, kUnknownKey, kExpired, kWrongScope, kMismatch };

struct SignatureKeys {
  std::string_view access_key_id, secret_access_key;
  std::string_view region;  // required in the scope; empty: any
  Instant now;
  std::string_view session_token = {};  // that belongs to the keys; empty: long-lived keys
};
SignatureVerdict check_signature(const http::ServerRequest& request, const SignatureKeys& keys);

// The steps, for the tests' own signer.
std::string sha256_hex(std::string_view bytes);
std::string canonical_request_of(const http::ServerRequest& request, const SignatureClaim& claim);
std::string signature_of(const SignatureClaim& claim, std::string_view secret, std::string_view canonical_request);

}  // namespace tenon::awssim
