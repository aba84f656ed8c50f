// SPDX-License-Identifier: Apache-2.0
#include "http/request_reader.h"

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "http/limits.h"

namespace tenon::http {
namespace {

namespace beast_http = boost::beast::http;
using Parser = beast_http::request_parser<beast_http::string_body>;

std::string to_std(boost::beast::string_view text) { return {text.data(), text.size()}; }

tl::unexpected<ReadEnd> refused(int status, std::string why) { return tl::unexpected(ReadEnd{status, std::move(why)}); }

tl::unexpected<ReadEnd> refused(const boost::system::error_code& error) {
  if (error == beast_http::error::header_limit) return refused(431, "the request's headers are too large");
  if (error == beast_http::error::body_limit) return refused(413, "the request's body is too large");
  return refused(400, "not HTTP: " + error.message());
}

// Accepts origin-form, or absolute-form as proxies get it.
bool set_target(ServerRequest& request, std::string_view target) {
  if (!target.starts_with('/')) {
    const auto url = parse_url(target);
    if (!url) return false;
    request.raw_path = url->path.empty() ? "/" : url->path;
    request.raw_query = url->query;
    return true;
  }
  const size_t question = target.find('?');
  request.raw_path = target.substr(0, question);
  if (question != std::string_view::npos) request.raw_query = target.substr(question + 1);
  return true;
}

tl::expected<IncomingRequest, ReadEnd> convert(Parser& parser) {
  auto message = parser.release();
  IncomingRequest incoming;
  incoming.keep_alive = message.keep_alive();
  incoming.http_1_0 = message.version() < 11;
  ServerRequest& request = incoming.request;
  request.method = to_std(message.method_string());
  if (!set_target(request, to_std(message.target()))) return refused(400, "the request's target is not a path");
  for (const auto& field : message) request.headers.add(to_std(field.name_string()), to_std(field.value()));
  request.host = request.headers.get("Host");
  if (!incoming.http_1_0 && !request.headers.has("Host")) return refused(400, "no Host header");
  request.body = std::move(message.body());
  return incoming;
}

}  // namespace

tl::expected<IncomingRequest, ReadEnd> RequestReader::next() {
  Parser parser;
  parser.eager(true);
  parser.header_limit(kMaxHeaderBytes);
  parser.body_limit(kMaxRequestBodyBytes);
  bool continue_sent = false, begun = !buffer_.empty();
  while (true) {
    boost::system::error_code error;
    if (!buffer_.empty()) {
      const size_t used = parser.put(boost::asio::buffer(buffer_), error);
      buffer_.erase(0, used);
      if (error && error != beast_http::error::need_more) return refused(error);
      if (parser.is_done()) return convert(parser);
      if (used > 0 && !buffer_.empty()) continue;
    }
    if (parser.is_header_done() && !continue_sent && parser.get()[beast_http::field::expect] == "100-continue") {
      continue_sent = true;
      if (!stream_.write("HTTP/1.1 100 Continue\r\n\r\n")) return tl::unexpected(ReadEnd{});
    }
    const Status read = stream_.read(buffer_, begun ? kReadTimeout : kIdleTimeout);
    if (!read) {
      if (begun && read.error().code == Code::kTimeout) return refused(408, "the request did not end");
      return tl::unexpected(ReadEnd{});
    }
    begun = true;
  }
}

}  // namespace tenon::http
