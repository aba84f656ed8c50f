// AWS Signature Version 4: header signing and presigned URLs.
//
// What is signed is what is sent: the URL's path and query are canonicalized as the service does it (segments encoded
// once more, parameters decoded, encoded and sorted by name, then value), so any URL may be signed. In a query '+' is a
// literal plus: send a space as %20.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "aws/credentials.h"
#include "base/instant.h"
#include "http/message.h"

namespace tenon::aws {

struct SigningScope {
  std::string region, service;
};

// Adds X-Amz-Date, X-Amz-Security-Token (if there is a session token) and Authorization; all other headers but
// User-Agent and hop-by-hop ones are signed too. Signing again replaces the earlier signature.
void sign(http::Request& request, const Credentials& credentials, const SigningScope& scope, Instant now);

struct PresignOptions {
  Instant now{};
  Duration expires = 15min;
};
// The URL that carries the signature in its query; the request's headers are signed and must be sent with it.
std::string presign(const http::Request& request, const Credentials& credentials, const SigningScope& scope,
                    const PresignOptions& options);

// The text whose hash is signed, for tests and diagnosis.
std::string canonical_request(const http::Request& request);

std::string sha256_hex(std::string_view bytes);

}  // namespace tenon::aws
