// SPDX-License-Identifier: Apache-2.0
#include "aws/sigv4.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "base/check.h"
#include "base/text.h"

namespace tenon::aws {
namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";
// Proxies and clients change these headers in transit, which would invalidate a signature over them.
constexpr std::array<std::string_view, 6> kUnsignedHeaders = {"authorization", "connection",        "expect",
                                                              "user-agent",    "transfer-encoding", "x-amzn-trace-id"};

std::string hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

std::string hmac(std::string_view key, std::string_view data) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
  unsigned int size = 0;
  const unsigned char* done = HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
                                   reinterpret_cast<const unsigned char*>(data.data()), data.size(), out.data(), &size);
  CHECK(done != nullptr, "HMAC-SHA256");
  return {reinterpret_cast<const char*>(out.data()), size};
}

// "20150830T123600Z"
std::string amz_date(Instant now) {
  std::string text = format_rfc3339(now);
  std::erase_if(text, [](char c) { return c == '-' || c == ':'; });
  return text;
}

std::string canonical_path(std::string_view path) {
  std::vector<std::string_view> kept;
  for (const std::string_view segment : split(path, '/')) {
    if (segment.empty() || segment == ".") continue;
    if (segment == "..") {
      if (!kept.empty()) kept.pop_back();
    } else {
      kept.push_back(segment);
    }
  }
  std::string out;
  for (const std::string_view segment : kept) {
    out += '/';
    out += percent_encode(segment);
  }
  if (out.empty() || path.ends_with('/')) out += '/';
  return out;
}

std::string canonical_query(std::string_view query) {
  if (query.empty()) return {};
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string_view parameter : split(query, '&')) {
    if (parameter.empty()) continue;
    const auto [name, value] = cut(parameter, '=');
    pairs.emplace_back(percent_encode(percent_decode(name)), percent_encode(percent_decode(value)));
  }
  std::sort(pairs.begin(), pairs.end());
  std::string out;
  for (const auto& [name, value] : pairs) {
    if (!out.empty()) out += '&';
    out += name + "=" + value;
  }
  return out;
}

// Returns the Host header of HTTP clients: without the scheme's default port.
std::string host_of(const http::UrlView& url) {
  std::string_view host = url.host;
  if (url.scheme == "https" && host.ends_with(":443")) host.remove_suffix(4);
  if (url.scheme == "http" && host.ends_with(":80")) host.remove_suffix(3);
  return std::string(host);
}

std::string squeeze(std::string_view value) {
  std::string out;
  for (const char c : trim(value)) {
    if (c == ' ' && out.ends_with(' ')) continue;
    out += c;
  }
  return out;
}

// Maps lower-case names to values; several values of one name are joined by commas.
std::map<std::string, std::string> signed_headers(const http::Request& request, const http::UrlView& url) {
  std::map<std::string, std::string> headers;
  for (const auto& [name, value] : request.headers.entries()) {
    std::string key = to_lower(name);
    if (std::find(kUnsignedHeaders.begin(), kUnsignedHeaders.end(), key) != kUnsignedHeaders.end()) continue;
    const auto [it, fresh] = headers.try_emplace(std::move(key), squeeze(value));
    if (!fresh) it->second += "," + squeeze(value);
  }
  headers.try_emplace("host", host_of(url));
  return headers;
}

std::string join_names(const std::map<std::string, std::string>& headers) {
  std::string names;
  for (const auto& [name, value] : headers) names += (names.empty() ? "" : ";") + name;
  return names;
}

http::UrlView must_parse(const std::string& url) {
  const auto view = http::parse_url(url);
  CHECK(view.has_value(), "an AWS request needs an absolute URL");
  return *view;
}

std::string canonical(const http::Request& request, std::string_view query, std::string_view payload_hash) {
  const http::UrlView url = must_parse(request.url);
  const auto headers = signed_headers(request, url);
  std::string out = request.method + "\n" + canonical_path(url.path) + "\n" + canonical_query(query) + "\n";
  for (const auto& [name, value] : headers) out += name + ":" + value + "\n";
  out += "\n" + join_names(headers) + "\n";
  out += payload_hash;
  return out;
}

// Returns the signing key for one day and service. Each thread caches its keys, because a key takes four hashes.
const std::string& signing_key(const Credentials& credentials, const std::string& day, const SigningScope& where) {
  constexpr size_t kMaxKeys = 64;
  thread_local std::map<std::array<std::string, 4>, std::string> keys;
  if (keys.size() >= kMaxKeys) keys.clear();
  std::string& key = keys[{credentials.secret_access_key, day, where.region, where.service}];
  if (key.empty())
    key = hmac(hmac(hmac(hmac("AWS4" + credentials.secret_access_key, day), where.region), where.service),
               "aws4_request");
  return key;
}

struct Signer {
  std::string date;   // 20150830T123600Z
  std::string scope;  // 20150830/us-east-1/ec2/aws4_request
  std::string key;

  Signer(const Credentials& credentials, const SigningScope& where, Instant now) : date(amz_date(now)) {
    const std::string day = date.substr(0, 8);
    scope = day + "/" + where.region + "/" + where.service + "/aws4_request";
    key = signing_key(credentials, day, where);
  }
  std::string signature(std::string_view request) const {
    return hex(hmac(key, std::string(kAlgorithm) + "\n" + date + "\n" + scope + "\n" + sha256_hex(request)));
  }
};

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
  unsigned int size = 0;
  CHECK(EVP_Digest(bytes.data(), bytes.size(), out.data(), &size, EVP_sha256(), nullptr) == 1, "SHA-256");
  return hex({reinterpret_cast<const char*>(out.data()), size});
}

std::string canonical_request(const http::Request& request) {
  return canonical(request, must_parse(request.url).query, sha256_hex(request.body));
}

void sign(http::Request& request, const Credentials& credentials, const SigningScope& scope, Instant now) {
  const Signer signer(credentials, scope, now);
  request.headers.set("X-Amz-Date", signer.date);
  if (!credentials.session_token.empty()) request.headers.set("X-Amz-Security-Token", credentials.session_token);
  const std::string names = join_names(signed_headers(request, must_parse(request.url)));
  request.headers.set("Authorization", std::string(kAlgorithm) + " Credential=" + credentials.access_key_id + "/" +
                                           signer.scope + ", SignedHeaders=" + names +
                                           ", Signature=" + signer.signature(canonical_request(request)));
}

std::string presign(const http::Request& request, const Credentials& credentials, const SigningScope& scope,
                    const PresignOptions& options) {
  const Signer signer(credentials, scope, options.now);
  const http::UrlView url = must_parse(request.url);
  std::string query(url.query);
  const auto add = [&query](std::string_view name, std::string_view value) {
    if (!query.empty()) query += '&';
    query += std::string(name) + "=" + percent_encode(value);
  };
  add("X-Amz-Algorithm", kAlgorithm);
  add("X-Amz-Credential", credentials.access_key_id + "/" + signer.scope);
  add("X-Amz-Date", signer.date);
  add("X-Amz-Expires", std::to_string(std::chrono::duration_cast<std::chrono::seconds>(options.expires).count()));
  if (!credentials.session_token.empty()) add("X-Amz-Security-Token", credentials.session_token);
  add("X-Amz-SignedHeaders", join_names(signed_headers(request, url)));
  add("X-Amz-Signature", signer.signature(canonical(request, query, sha256_hex(request.body))));
  return std::string(url.scheme) + "://" + std::string(url.host) + std::string(url.path) + "?" + query;
}

}  // namespace tenon::aws
