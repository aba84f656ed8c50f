// AWS Signature Version 4: header signing and presigned URLs.
//
// The signature covers the URL as it is sent: path and query are canonicalized as the service does it (segments encoded
// once more; parameters decoded, encoded and sorted by name, then value), so that any URL can be signed. In a query,
// '+' is a literal plus: send a space as %20.
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

// Adds X-Amz-Date, X-Amz-Security-Token (with a session token) and Authorization. Signs all headers except User-Agent
// and hop-by-hop headers. Signing again replaces the earlier signature.
void sign(http::Request& request, const Credentials& credentials, const SigningScope& scope, Instant now);

struct PresignOptions {
  Instant now{};
  Duration expires = 15min;
};
// Returns the URL with the signature in its query. The request's headers are signed and must be sent with it.
std::string presign(const http::Request& request, const Credentials& credentials, const SigningScope& scope,
                    const PresignOptions& options);

// Returns the text whose hash is signed, for tests and diagnosis.
std::string canonical_request(const http::Request& request);

std::string sha256_hex(std::string_view bytes);

}  // namespace tenon::aws
