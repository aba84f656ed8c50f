// SPDX-License-Identifier: Apache-2.0
#include "http/message.h"

#include <algorithm>

#include "base/text.h"

namespace tenon::http {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

std::string decode_form(std::string_view text) {
  std::string spaced(text);
  std::replace(spaced.begin(), spaced.end(), '+', ' ');
  return percent_decode(spaced);
}

}  // namespace

std::string_view Headers::get(std::string_view name) const {
  for (const auto& [key, value] : entries_) {
    if (same_name(key, name)) return value;
  }
  return {};
}

bool Headers::has(std::string_view name) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const auto& entry) { return same_name(entry.first, name); });
}

void Headers::set(std::string_view name, std::string value) {
  std::erase_if(entries_, [&](const auto& entry) { return same_name(entry.first, name); });
  entries_.emplace_back(name, std::move(value));
}

std::optional<UrlView> parse_url(std::string_view url) {
  const auto bad = [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7f'; };
  if (std::any_of(url.begin(), url.end(), bad)) return std::nullopt;
  url = url.substr(0, url.find('#'));
  const size_t scheme_end = url.find("://");
  if (scheme_end == 0 || scheme_end == std::string_view::npos) return std::nullopt;
  UrlView view;
  view.scheme = url.substr(0, scheme_end);
  const std::string_view rest = url.substr(scheme_end + 3);
  const size_t host_end = std::min(rest.find_first_of("/?"), rest.size());
  view.host = rest.substr(0, host_end);
  if (view.host.empty()) return std::nullopt;
  const size_t query = rest.find('?', host_end);
  view.path = rest.substr(host_end, query == std::string_view::npos ? query : query - host_end);
  if (query != std::string_view::npos) view.query = rest.substr(query + 1);
  return view;
}

std::vector<std::pair<std::string, std::string>> parse_query(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> parameters;
  for (const std::string_view part : split(query, '&')) {
    if (part.empty()) continue;
    const auto [key, value] = cut(part, '=');
    parameters.emplace_back(decode_form(key), decode_form(value));
  }
  return parameters;
}

}  // namespace tenon::http
