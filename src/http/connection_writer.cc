// SPDX-License-Identifier: Apache-2.0
#include "http/connection_writer.h"

#include <algorithm>
#include <cstdio>

#include "base/check.h"
#include "base/text.h"

namespace tenon::http {
namespace {

// Up to this size, head and body are sent in one write.
constexpr size_t kOneWriteBytes = 16 * 1024;

std::string_view reason_phrase(int status) {
  static constexpr std::pair<int, std::string_view> kPhrases[] = {{200, "OK"},
                                                                  {201, "Created"},
                                                                  {202, "Accepted"},
                                                                  {204, "No Content"},
                                                                  {301, "Moved Permanently"},
                                                                  {302, "Found"},
                                                                  {303, "See Other"},
                                                                  {304, "Not Modified"},
                                                                  {307, "Temporary Redirect"},
                                                                  {400, "Bad Request"},
                                                                  {401, "Unauthorized"},
                                                                  {403, "Forbidden"},
                                                                  {404, "Not Found"},
                                                                  {405, "Method Not Allowed"},
                                                                  {406, "Not Acceptable"},
                                                                  {408, "Request Timeout"},
                                                                  {409, "Conflict"},
                                                                  {410, "Gone"},
                                                                  {412, "Precondition Failed"},
                                                                  {413, "Payload Too Large"},
                                                                  {415, "Unsupported Media Type"},
                                                                  {422, "Unprocessable Entity"},
                                                                  {429, "Too Many Requests"},
                                                                  {431, "Request Header Fields Too Large"},
                                                                  {500, "Internal Server Error"},
                                                                  {501, "Not Implemented"},
                                                                  {502, "Bad Gateway"},
                                                                  {503, "Service Unavailable"},
                                                                  {504, "Gateway Timeout"}};
  for (const auto& [code, phrase] : kPhrases) {
    if (code == status) return phrase;
  }
  return "Status";
}

// The server sets the framing headers; those of a handler are ignored.
bool is_framing(std::string_view name) {
  const std::string lower = to_lower(name);
  return lower == "content-length" || lower == "transfer-encoding" || lower == "connection";
}

// Prevents header injection by line breaks.
std::string one_line(std::string_view text) {
  std::string line(text);
  std::replace_if(line.begin(), line.end(), [](char c) { return c == '\r' || c == '\n' || c == '\0'; }, ' ');
  return line;
}

bool has_no_body(int status) { return status == 204 || status == 304; }

}  // namespace

std::string ConnectionWriter::head(int status, const Headers& headers, std::string_view framing) const {
  std::string text = "HTTP/1.1 " + std::to_string(status) + " " + std::string(reason_phrase(status)) + "\r\n";
  for (const auto& [name, value] : headers.entries()) {
    if (!is_framing(name)) text += one_line(name) + ": " + one_line(value) + "\r\n";
  }
  if (!options_.keep_alive) text += "Connection: close\r\n";
  if (options_.keep_alive && options_.http_1_0) text += "Connection: keep-alive\r\n";
  return text.append(framing).append("\r\n");
}

Status ConnectionWriter::put(std::string_view bytes) {
  if (broken_) return fail(Code::kUnavailable, "the peer has gone");
  Status written = stream_.write(bytes);
  broken_ = !written;
  return written;
}

void ConnectionWriter::respond(Response response) {
  CHECK(!answered_, "a handler answered twice");
  CHECK(response.status >= 200 && response.status <= 999, "a handler answered with an impossible status");
  answered_ = true;
  const std::string length = "Content-Length: " + std::to_string(response.body.size()) + "\r\n";
  std::string text = head(response.status, response.headers, has_no_body(response.status) ? "" : length);
  const bool body = !options_.head && !has_no_body(response.status);
  if (body && response.body.size() <= kOneWriteBytes) {
    text += response.body;
    broken_ = !put(text);
  } else {
    broken_ = !put(text) || (body && !put(response.body));
  }
}

Status ConnectionWriter::begin(int status, Headers headers) {
  CHECK(!answered_, "a handler answered twice");
  answered_ = true;
  streaming_ = !options_.head && !has_no_body(status);
  if (streaming_ && options_.http_1_0) options_.keep_alive = false;
  return put(head(status, headers, streaming_ && !options_.http_1_0 ? "Transfer-Encoding: chunked\r\n" : ""));
}

Status ConnectionWriter::write(std::string_view bytes) {
  CHECK(answered_, "a handler wrote before it began");
  if (!streaming_ || bytes.empty()) return broken_ ? put("") : ok();
  if (options_.http_1_0) return put(bytes);
  char size[24];
  std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
  return put(std::string(size).append(bytes).append("\r\n"));
}

bool ConnectionWriter::finish() {
  if (!answered_) respond({.status = 500, .headers = {{"Content-Type", "text/plain"}}, .body = "no answer\n"});
  if (streaming_ && !options_.http_1_0 && !put("0\r\n\r\n")) return false;
  return options_.keep_alive && !broken_;
}

}  // namespace tenon::http
