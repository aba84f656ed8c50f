// SPDX-License-Identifier: Apache-2.0
#include "awssim/testing/caller.h"

#include <openssl/hmac.h>
#include <openssl/sha.h>

#include <pugixml.hpp>

#include "base/text.h"

namespace tenon::awssim::testing {
namespace {

std::string to_hex(const unsigned char* bytes, size_t size) {
  std::string out;
  for (size_t i = 0; i < size; ++i) {
    char pair[3];
    std::snprintf(pair, sizeof pair, "%02x", bytes[i]);
    out += pair;
  }
  return out;
}

std::string hashed(const std::string& text) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest);
  return to_hex(digest, sizeof digest);
}

std::string keyed(const std::string& key, const std::string& text) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(text.data()),
       text.size(), digest, &size);
  return {reinterpret_cast<char*>(digest), size};
}

class Collector : public http::ResponseWriter {
 public:
  void respond(http::Response response) override { response_ = std::move(response); }
  Status begin(int status, http::Headers headers) override {
    response_ = {status, std::move(headers), ""};
    return ok();
  }
  Status write(std::string_view bytes) override {
    response_.body += bytes;
    return ok();
  }
  http::Response response_;
};

std::string form_text(const Form& form) {
  std::string body;
  for (const auto& [name, value] : form)
    body += (body.empty() ? "" : "&") + percent_encode(name) + "=" + percent_encode(value);
  return body;
}

}  // namespace

std::vector<std::string> Answer::all(const std::string& xpath) const {
  pugi::xml_document document;
  std::vector<std::string> found;
  if (!document.load_buffer(body.data(), body.size())) return found;
  for (const pugi::xpath_node& node : document.select_nodes(xpath.c_str()))
    found.emplace_back(node.node().text().get());
  return found;
}

std::string Answer::first(const std::string& xpath) const {
  auto found = all(xpath);
  return found.empty() ? std::string() : found.front();
}

std::string Answer::error_code() const {
  if (status < 400) return {};
  if (!body.starts_with("<?xml")) return std::string(headers.get("x-amzn-ErrorType"));
  return first("//Error/Code");
}

Answer Caller::send(http::ServerRequest request, const std::string& service) {
  if (request.host.empty()) request.host = "127.0.0.1:4566";
  if (sign) add_signature(request, service);
  Collector collector;
  handler_.serve(request, collector, {});
  return {collector.response_.status, collector.response_.body, collector.response_.headers};
}

Answer Caller::query(const std::string& service, const std::string& version, const std::string& action, Form form) {
  form.insert(form.begin(), {{"Action", action}, {"Version", version}});
  http::ServerRequest request{.method = "POST", .raw_path = "/", .body = form_text(form)};
  request.headers.add("Content-Type", "application/x-www-form-urlencoded; charset=utf-8");
  return send(std::move(request), service);
}

Answer Caller::ec2(const std::string& action, Form form) { return query("ec2", "2016-11-15", action, std::move(form)); }
Answer Caller::iam(const std::string& action, Form form) { return query("iam", "2010-05-08", action, std::move(form)); }
Answer Caller::sts(const std::string& action, Form form) { return query("sts", "2011-06-15", action, std::move(form)); }

Answer Caller::json(const std::string& service, const std::string& target, const std::string& body) {
  http::ServerRequest request{.method = "POST", .raw_path = "/", .body = body};
  request.headers.add("Content-Type", "application/x-amz-json-1.1");
  request.headers.add("X-Amz-Target", target);
  return send(std::move(request), service);
}

Answer Caller::get(const std::string& service, const std::string& path) {
  return send(http::ServerRequest{.method = "GET", .raw_path = path}, service);
}

void Caller::add_signature(http::ServerRequest& request, const std::string& service) const {
  std::string stamp = format_rfc3339(runtime_.now() + clock_offset);
  std::erase_if(stamp, [](char c) { return c == '-' || c == ':'; });
  request.headers.set("X-Amz-Date", stamp);
  std::map<std::string, std::string> signed_headers{{"host", request.host}};
  for (const auto& [name, value] : request.headers.entries()) signed_headers[to_lower(name)] = value;
  std::string names, lines;
  for (const auto& [name, value] : signed_headers) {
    names += (names.empty() ? "" : ";") + name;
    lines += name + ":" + value + "\n";
  }
  std::string path;  // the signature encodes the encoded path again
  for (const std::string_view segment : split(std::string_view(request.raw_path).substr(1), '/'))
    path += "/" + percent_encode(segment);
  std::string canonical = request.method + "\n" + path + "\n" + request.raw_query + "\n" + lines + "\n" + names + "\n" +
                          hashed(request.body);
  std::string day = stamp.substr(0, 8), scope = day + "/" + region + "/" + service + "/aws4_request";
  std::string to_sign = "AWS4-HMAC-SHA256\n" + stamp + "\n" + scope + "\n" + hashed(canonical);
  std::string key = keyed(keyed(keyed(keyed("AWS4" + secret, day), region), service), "aws4_request");
  std::string signature = keyed(key, to_sign);
  request.headers.set(
      "Authorization",
      "AWS4-HMAC-SHA256 Credential=" + access_key_id + "/" + scope + ", SignedHeaders=" + names +
          ", Signature=" + to_hex(reinterpret_cast<const unsigned char*>(signature.data()), signature.size()));
}

Form filter(int n, const std::string& name, const std::vector<std::string>& values) {
  std::string prefix = "Filter." + std::to_string(n);
  Form form{{prefix + ".Name", name}};
  for (size_t i = 0; i < values.size(); ++i) form.emplace_back(prefix + ".Value." + std::to_string(i + 1), values[i]);
  return form;
}

Form operator+(Form a, const Form& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace tenon::awssim::testing
