// SPDX-License-Identifier: Apache-2.0
#include "schema/formats.h"

#include <arpa/inet.h>
#include <re2/re2.h>

#include <algorithm>
#include <charconv>
#include <string>

#include "base/instant.h"
#include "base/text.h"
#include "schema/cel/time_text.h"

namespace tenon::schema {
namespace {

using Check = bool (*)(std::string_view text);

bool matches(std::string_view text, const char* pattern) {
  return re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), pattern);
}

template <int Family>
bool is_address(std::string_view text) {
  unsigned char address[sizeof(in6_addr)];
  return inet_pton(Family, std::string(text).c_str(), address) == 1;
}

bool is_cidr(std::string_view text) {
  const auto [address, prefix] = cut(text, '/');
  int bits = -1;
  const auto [end, error] = std::from_chars(prefix.data(), prefix.data() + prefix.size(), bits);
  if (error != std::errc() || end != prefix.data() + prefix.size() || bits < 0) return false;
  return is_address<AF_INET>(address) ? bits <= 32 : is_address<AF_INET6>(address) && bits <= 128;
}

bool is_base64(std::string_view text) {
  std::string out;
  return text.size() % 4 == 0 && base64_decode(text, out);
}

bool is_date_time(std::string_view text) {
  std::string upper(text);  // "t" and "z" are allowed
  for (char& c : upper)
    if (c == 't' || c == 'z') c = static_cast<char>(c ^ 0x20);
  return parse_rfc3339(upper).has_value();
}
bool is_date(std::string_view text) { return text.size() == 10 && parse_rfc3339(std::string(text) + "T00:00:00Z"); }

// Go's "1h30m" and Scala's "22 ns", "3 days".
constexpr const char* kLongDuration = R"((?:\d+\s*(?:ns|us|µs|ms|nano\w*|micro\w*|milli\w*|s|sec\w*|m|min\w*|)"
                                      R"(h|hour\w*|d|day\w*|w|week\w*)\s*)+)";
bool is_duration(std::string_view text) { return cel::parse_duration(text) || matches(text, kLongDuration); }

// One label, or several labels, the last one with letters only.
constexpr const char* kHostname = R"([A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?|)"
                                  R"((?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63})";
bool is_hostname(std::string_view text) { return text.size() <= 255 && matches(text, kHostname); }
bool is_email(std::string_view text) { return matches(text, R"([^@\s<>]+@[^@\s<>]+|[^<>]*<[^@\s<>]+@[^@\s<>]+>)"); }
bool is_uri(std::string_view text) { return matches(text, R"((?:[A-Za-z][A-Za-z0-9+.-]*:[^\s]*|/[^\s]*))"); }
bool is_mac(std::string_view text) {
  return matches(text, R"([0-9A-Fa-f]{2}(?:[:-][0-9A-Fa-f]{2}){5}(?:(?:[:-][0-9A-Fa-f]{2}){2})?)");
}
bool is_uuid(std::string_view text) { return matches(text, R"((?i)[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12})"); }
bool is_uuid3(std::string_view text) {
  return matches(text, R"((?i)[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12})");
}
bool is_uuid4(std::string_view text) {
  return matches(text, R"((?i)[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12})");
}
bool is_uuid5(std::string_view text) {
  return matches(text, R"((?i)[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12})");
}
bool is_ssn(std::string_view text) { return matches(text, R"(\d{3}[- ]?\d{2}[- ]?\d{4})"); }
bool is_hex_color(std::string_view text) { return matches(text, R"(#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6}))"); }
bool is_rgb_color(std::string_view text) {
  return matches(text, R"(rgb\(\s*\d{1,3}\s*,\s*\d{1,3}\s*,\s*\d{1,3}\s*\))");
}
bool is_object_id(std::string_view text) { return matches(text, R"([0-9a-fA-F]{24})"); }
bool anything(std::string_view) { return true; }

struct Format {
  std::string_view name;  // without dashes
  Check check;
};
constexpr Format kFormats[] = {
    {"bsonobjectid", is_object_id},
    {"uri", is_uri},
    {"email", is_email},
    {"hostname", is_hostname},
    {"ipv4", is_address<AF_INET>},
    {"ipv6", is_address<AF_INET6>},
    {"cidr", is_cidr},
    {"mac", is_mac},
    {"uuid", is_uuid},
    {"uuid3", is_uuid3},
    {"uuid4", is_uuid4},
    {"uuid5", is_uuid5},
    {"ssn", is_ssn},
    {"hexcolor", is_hex_color},
    {"rgbcolor", is_rgb_color},
    {"byte", is_base64},
    {"password", anything},
    {"date", is_date},
    {"duration", is_duration},
    {"datetime", is_date_time},
};

const Format* find_format(std::string_view name) {
  std::string plain(name);
  std::erase(plain, '-');
  for (const Format& format : kFormats)
    if (format.name == plain) return &format;
  return nullptr;
}

}  // namespace

bool known_format(std::string_view format) { return find_format(format) != nullptr; }

bool matches_format(std::string_view format, std::string_view text) {
  const Format* found = find_format(format);
  return found && found->check(text);
}

}  // namespace tenon::schema
