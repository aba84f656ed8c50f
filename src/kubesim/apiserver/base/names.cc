// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/base/names.h"

#include <algorithm>

#include "base/text.h"
#include "kubesim/apiserver/base/limits.h"

namespace tenon::kubesim::apiserver {
namespace {

bool lower(char c) { return c >= 'a' && c <= 'z'; }
bool digit(char c) { return c >= '0' && c <= '9'; }
bool alnum(char c) { return lower(c) || digit(c) || (c >= 'A' && c <= 'Z'); }
bool lower_alnum(char c) { return lower(c) || digit(c); }

bool is_dns_label(std::string_view s) {
  if (s.empty() || !lower_alnum(s.front()) || !lower_alnum(s.back())) return false;
  return std::all_of(s.begin(), s.end(), [](char c) { return lower_alnum(c) || c == '-'; });
}

bool is_dns_subdomain(std::string_view s) {
  const auto parts = split(s, '.');
  return std::all_of(parts.begin(), parts.end(), is_dns_label);
}

// ([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]
bool is_qualified_part(std::string_view s) {
  if (s.empty() || !alnum(s.front()) || !alnum(s.back())) return false;
  return std::all_of(s.begin(), s.end(), [](char c) { return alnum(c) || c == '-' || c == '_' || c == '.'; });
}

std::string too_long(size_t limit) { return "must be no more than " + std::to_string(limit) + " characters"; }

constexpr std::string_view kQualifiedRule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

}  // namespace

std::optional<std::string> check_dns_label(std::string_view name) {
  if (name.size() > kMaxLabelLength) return too_long(kMaxLabelLength);
  if (is_dns_label(name)) return std::nullopt;
  return "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end "
         "with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
         "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
}

std::optional<std::string> check_dns1035_label(std::string_view name) {
  if (name.size() > kMaxLabelLength) return too_long(kMaxLabelLength);
  if (is_dns_label(name) && lower(name.front())) return std::nullopt;
  return "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic "
         "character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation "
         "is '[a-z]([-a-z0-9]*[a-z0-9])?')";
}

std::optional<std::string> check_dns_subdomain(std::string_view name) {
  if (name.size() > kMaxNameLength) return too_long(kMaxNameLength);
  if (is_dns_subdomain(name)) return std::nullopt;
  return "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must "
         "start "
         "and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
         "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
}

std::optional<std::string> check_path_segment(std::string_view name) {
  if (name == "." || name == "..") return "may not be '" + std::string(name) + "'";
  for (char c : {'/', '%'}) {
    if (name.find(c) != std::string_view::npos) return "may not contain '" + std::string(1, c) + "'";
  }
  return std::nullopt;
}

std::optional<std::string> check_qualified_name(std::string_view key) {
  const size_t slash = key.find('/');
  std::string_view part = key;
  if (slash != std::string_view::npos) {
    const std::string_view prefix = key.substr(0, slash);
    part = key.substr(slash + 1);
    if (part.find('/') != std::string_view::npos) {
      return "a qualified name " + std::string(kQualifiedRule) +
             " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
    }
    if (prefix.empty()) return "prefix part must be non-empty";
    if (auto wrong = check_dns_subdomain(prefix)) return "prefix part " + *wrong;
  }
  if (part.empty()) return "name part must be non-empty";
  if (part.size() > kMaxLabelLength) return "name part " + too_long(kMaxLabelLength);
  if (!is_qualified_part(part)) return "name part " + std::string(kQualifiedRule);
  return std::nullopt;
}

std::optional<std::string> check_label_value(std::string_view text) {
  if (text.size() > kMaxLabelLength) return too_long(kMaxLabelLength);
  if (text.empty() || is_qualified_part(text)) return std::nullopt;
  return "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start "
         "and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for "
         "validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
}

std::optional<std::string> check_port_name(std::string_view name) {
  constexpr size_t kMaxPortName = 15;
  if (name.size() > kMaxPortName) return too_long(kMaxPortName);
  if (!std::all_of(name.begin(), name.end(), [](char c) { return lower_alnum(c) || c == '-'; })) {
    return "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)";
  }
  if (std::none_of(name.begin(), name.end(), lower)) return "must contain at least one letter (a-z)";
  if (name.find("--") != std::string_view::npos) return "must not contain consecutive hyphens";
  if (name.front() == '-' || name.back() == '-') return "must not begin or end with a hyphen";
  return std::nullopt;
}

std::optional<std::string> check_env_name(std::string_view name) {
  const bool good =
      !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c <= '~' && c != '='; });
  if (good) return std::nullopt;
  return "a valid environment variable name must consist only of printable ASCII characters other than '='";
}

}  // namespace tenon::kubesim::apiserver
