// SPDX-License-Identifier: Apache-2.0
#include "awssim/account/signature.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <vector>

#include "base/check.h"
#include "base/text.h"
#include "http/message.h"

namespace tenon::awssim {
namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";
constexpr std::string_view kScopeEnd = "aws4_request";

std::string hex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (unsigned char byte : bytes) {
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

std::string sha256(std::string_view bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  CHECK(EVP_Digest(bytes.data(), bytes.size(), digest, &size, EVP_sha256(), nullptr) == 1);
  return {reinterpret_cast<const char*>(digest), size};
}

std::string hmac(std::string_view key, std::string_view data) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  CHECK(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
             reinterpret_cast<const unsigned char*>(data.data()), data.size(), digest, &size) != nullptr);
  return {reinterpret_cast<const char*>(digest), size};
}

// Unlike in forms, '+' is a plus and not a space in a signed query.
std::vector<std::pair<std::string, std::string>> query_pairs(std::string_view raw) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (std::string_view part : split(raw, '&')) {
    if (part.empty()) continue;
    auto [name, value] = cut(part, '=');
    pairs.emplace_back(percent_decode(name), percent_decode(value));
  }
  return pairs;
}

std::string query_value(std::string_view raw, std::string_view name) {
  for (auto& [key, value] : query_pairs(raw))
    if (key == name) return value;
  return {};
}

bool read_credential(std::string_view credential, SignatureClaim& claim) {
  auto parts = split(credential, '/');
  // The key id may contain slashes, so the scope is read from the end.
  if (parts.size() < 5 || parts.back() != kScopeEnd) return false;
  size_t n = parts.size();
  claim.service = parts[n - 2];
  claim.region = parts[n - 3];
  claim.date = parts[n - 4];
  claim.access_key_id = credential.substr(0, static_cast<size_t>(parts[n - 4].data() - credential.data()) - 1);
  return !claim.service.empty() && claim.date.size() == 8;
}

std::string canonical_path(std::string_view path) {
  if (path.empty()) return "/";
  std::string out;
  for (std::string_view segment : split(path, '/')) {
    if (!out.empty() || segment.data() != path.data()) out += '/';
    out += percent_encode(segment);
  }
  return out;
}

std::string canonical_query(std::string_view raw) {
  std::vector<std::pair<std::string, std::string>> encoded;
  for (auto& [name, value] : query_pairs(raw)) {
    if (name == "X-Amz-Signature") continue;
    encoded.emplace_back(percent_encode(name), percent_encode(value));
  }
  std::sort(encoded.begin(), encoded.end());
  std::string out;
  for (auto& [name, value] : encoded) out += (out.empty() ? "" : "&") + name + "=" + value;
  return out;
}

// Trims the text and merges runs of spaces.
std::string canonical_value(std::string_view text) {
  std::string out;
  for (char c : trim(text)) {
    if (c == ' ' && !out.empty() && out.back() == ' ') continue;
    out += c;
  }
  return out;
}

std::string header_value(const http::ServerRequest& request, std::string_view name) {
  std::string joined;
  bool found = false;
  for (const auto& [key, value] : request.headers.entries()) {
    if (to_lower(key) != name) continue;
    if (found) joined += ',';
    joined += canonical_value(value);
    found = true;
  }
  if (!found && name == "host") return request.host;
  return joined;
}

std::string payload_hash(const http::ServerRequest& request, const SignatureClaim& claim) {
  std::string_view declared = request.headers.get("x-amz-content-sha256");
  if (declared == "UNSIGNED-PAYLOAD" && !claim.presigned) return std::string(declared);
  return sha256_hex(request.body);
}

// "20261120T234845Z"
std::optional<Instant> parse_timestamp(std::string_view t) {
  if (t.size() != 16 || t[8] != 'T' || t[15] != 'Z') return std::nullopt;
  std::string rfc = std::string(t.substr(0, 4)) + "-" + std::string(t.substr(4, 2)) + "-" +
                    std::string(t.substr(6, 2)) + "T" + std::string(t.substr(9, 2)) + ":" +
                    std::string(t.substr(11, 2)) + ":" + std::string(t.substr(13, 2)) + "Z";
  return parse_rfc3339(rfc);
}

bool in_time(const http::ServerRequest& request, const SignatureClaim& claim, Instant now) {
  auto signed_at = parse_timestamp(claim.timestamp);
  if (!signed_at || !claim.timestamp.starts_with(claim.date)) return false;
  Duration valid_for = kMaxClockSkew;
  if (claim.presigned) {
    std::string seconds = query_value(request.raw_query, "X-Amz-Expires");
    constexpr size_t kMaxDigits = 6;  // a week is 604800
    if (seconds.empty() || seconds.size() > kMaxDigits ||
        !std::all_of(seconds.begin(), seconds.end(), [](char c) { return c >= '0' && c <= '9'; }))
      return false;
    valid_for = std::chrono::seconds(std::stoll(seconds));
  }
  return now <= *signed_at + valid_for && *signed_at <= now + kMaxClockSkew;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

bool signs(const SignatureClaim& claim, std::string_view header) {
  auto names = split(claim.signed_headers, ';');
  return std::find(names.begin(), names.end(), header) != names.end();
}

}  // namespace

std::string sha256_hex(std::string_view bytes) { return hex(sha256(bytes)); }

std::optional<SignatureClaim> read_signature(const http::ServerRequest& request) {
  SignatureClaim claim;
  std::string_view header = request.headers.get("authorization");
  if (header.empty()) {
    if (query_value(request.raw_query, "X-Amz-Algorithm") != kAlgorithm) return std::nullopt;
    claim.presigned = true;
    claim.signed_headers = query_value(request.raw_query, "X-Amz-SignedHeaders");
    claim.signature = query_value(request.raw_query, "X-Amz-Signature");
    claim.timestamp = query_value(request.raw_query, "X-Amz-Date");
    if (!read_credential(query_value(request.raw_query, "X-Amz-Credential"), claim)) return std::nullopt;
    return claim;
  }
  if (!header.starts_with(kAlgorithm)) return std::nullopt;
  claim.timestamp = request.headers.get("x-amz-date");
  bool credential_read = false;
  for (std::string_view part : split(header.substr(kAlgorithm.size()), ',')) {
    auto [name, value] = cut(trim(part), '=');
    if (name == "Credential") credential_read = read_credential(value, claim);
    if (name == "SignedHeaders") claim.signed_headers = value;
    if (name == "Signature") claim.signature = value;
  }
  if (!credential_read || claim.signature.empty()) return std::nullopt;
  return claim;
}

std::string canonical_request_of(const http::ServerRequest& request, const SignatureClaim& claim) {
  std::string text =
      request.method + "\n" + canonical_path(request.raw_path) + "\n" + canonical_query(request.raw_query) + "\n";
  for (std::string_view name : split(claim.signed_headers, ';'))
    text += std::string(name) + ":" + header_value(request, name) + "\n";
  return text + "\n" + claim.signed_headers + "\n" + payload_hash(request, claim);
}

std::string signature_of(const SignatureClaim& claim, std::string_view secret, std::string_view canonical_request) {
  std::string scope = claim.date + "/" + claim.region + "/" + claim.service + "/" + std::string(kScopeEnd);
  std::string to_sign =
      std::string(kAlgorithm) + "\n" + claim.timestamp + "\n" + scope + "\n" + sha256_hex(canonical_request);
  std::string key = hmac("AWS4" + std::string(secret), claim.date);
  for (std::string_view part : {std::string_view(claim.region), std::string_view(claim.service), kScopeEnd})
    key = hmac(key, part);
  return hex(hmac(key, to_sign));
}

SignatureVerdict check_signature(const http::ServerRequest& request, const SignatureKeys& keys) {
  auto claim = read_signature(request);
  if (!claim) return SignatureVerdict::kMissing;
  std::string token(request.headers.get("x-amz-security-token"));
  if (token.empty()) token = query_value(request.raw_query, "X-Amz-Security-Token");
  if (claim->access_key_id != keys.access_key_id || token != keys.session_token) return SignatureVerdict::kUnknownKey;
  if (!in_time(request, *claim, keys.now)) return SignatureVerdict::kExpired;
  if (!keys.region.empty() && claim->region != keys.region) return SignatureVerdict::kWrongScope;
  if (!signs(*claim, "host") || (!claim->presigned && !signs(*claim, "x-amz-date"))) return SignatureVerdict::kMismatch;
  std::string expected = signature_of(*claim, keys.secret_access_key, canonical_request_of(request, *claim));
  return equal_in_constant_time(expected, claim->signature) ? SignatureVerdict::kGood : SignatureVerdict::kMismatch;
}

}  // namespace tenon::awssim
