// HTTP messages as values, for clients and servers. Header names are case-insensitive.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/instant.h"

namespace tenon::http {

class Headers {
 public:
  Headers() = default;
  Headers(std::initializer_list<std::pair<std::string, std::string>> entries) : entries_(entries) {}
  // Returns the first value of that name; empty if absent.
  std::string_view get(std::string_view name) const;
  bool has(std::string_view name) const;
  void set(std::string_view name, std::string value);  // replaces every value of that name
  void add(std::string name, std::string value) { entries_.emplace_back(std::move(name), std::move(value)); }
  const std::vector<std::pair<std::string, std::string>>& entries() const { return entries_; }

 private:
  std::vector<std::pair<std::string, std::string>> entries_;
};

struct Request {
  std::string method = "GET";
  std::string url = {};  // absolute: scheme://host[:port]/path[?query], sent byte for byte
  Headers headers = {};
  std::string body = {};
  // send(): limit of the whole exchange. stream(): limit of the time between bytes.
  Duration timeout = 30s;
};

struct Response {
  int status = 0;
  Headers headers = {};
  std::string body = {};
};

// The pieces of an absolute URL; views into the argument. host includes the port.
struct UrlView {
  std::string_view scheme, host, path, query;
};
std::optional<UrlView> parse_url(std::string_view url);

// Query parameters in order, percent-decoded ('+' is a space).
std::vector<std::pair<std::string, std::string>> parse_query(std::string_view query);

}  // namespace tenon::http
