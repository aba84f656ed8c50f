// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/base/resource_info.h"

#include <iterator>

namespace tenon::kubesim::apiserver {

std::vector<std::string_view> Verbs::names(unsigned verbs) {
  static constexpr std::string_view kNames[] = {"create", "delete", "deletecollection", "get",
                                                "list",   "patch",  "update",           "watch"};
  std::vector<std::string_view> result;
  for (unsigned i = 0; i < std::size(kNames); ++i) {
    if ((verbs >> i & 1) != 0) result.push_back(kNames[i]);
  }
  return result;
}

const Subresource* ResourceInfo::subresource(std::string_view name) const {
  for (const Subresource& sub : subresources) {
    if (sub.name == name) return &sub;
  }
  return nullptr;
}

std::string ResourceInfo::stored_api_version() const {
  const Resource where = storage();
  const std::string& in_version = storage_version.empty() ? version : storage_version;
  return where.group.empty() ? in_version : where.group + "/" + in_version;
}

Resource ResourceInfo::storage() const {
  if (storage_version.empty()) return {group, plural};
  return {storage_group, plural};
}

}  // namespace tenon::kubesim::apiserver
