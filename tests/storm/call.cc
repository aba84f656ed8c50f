// SPDX-License-Identifier: Apache-2.0
#include "storm/call.h"

namespace tenon::storm {
namespace {

// Returns the index of the resource's name among the parts: after api/v1 or apis/group/version, and after a namespace.
size_t resource_at(const std::vector<std::string_view>& parts) {
  size_t at = parts.empty() || parts.front() == "api" ? 2 : 3;
  if (at + 2 < parts.size() && parts[at] == "namespaces") at += 2;
  return at;
}

}  // namespace

bool Call::is(std::string_view verb, std::string_view resource, std::string_view subresource) const {
  const size_t at = resource_at(parts);
  if (aws || method != verb || at >= parts.size() || parts[at] != resource) return false;
  return subresource.empty() ? parts.size() <= at + 2 : parts.size() == at + 3 && parts[at + 2] == subresource;
}

std::string_view Call::ns() const {
  const size_t at = resource_at(parts);
  return at >= 2 && at < parts.size() && parts[at - 2] == "namespaces" ? parts[at - 1] : std::string_view();
}

std::string_view Call::name() const {
  const size_t at = resource_at(parts);
  return at + 1 < parts.size() ? parts[at + 1] : std::string_view();
}

std::string_view Call::resource() const {
  const size_t at = resource_at(parts);
  return at < parts.size() ? parts[at] : std::string_view();
}

bool Call::lists() const { return !aws && method == "GET" && parts.size() == resource_at(parts) + 1; }

}  // namespace tenon::storm
