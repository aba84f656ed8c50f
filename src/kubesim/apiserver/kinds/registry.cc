// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/kinds/registry.h"

#include <algorithm>

#include "kubesim/apiserver/kinds/builtin_resources.h"

namespace tenon::kubesim::apiserver {
namespace {

// Ranks versions: "v1" before "v2beta1" before "v2alpha1", higher numbers first.
// parity: k8s.io/apimachinery/pkg/version/helpers.go
std::tuple<int, int, int> version_rank(std::string_view version) {
  size_t i = 1;
  const auto number = [&] {
    int n = 0;
    while (i < version.size() && version[i] >= '0' && version[i] <= '9') n = n * 10 + (version[i++] - '0');
    return n;
  };
  if (version.empty() || version[0] != 'v') return {0, 0, 0};
  const int major = number();
  if (i >= version.size()) return {3, major, 0};
  const bool beta = version.substr(i).starts_with("beta");
  const bool alpha = version.substr(i).starts_with("alpha");
  if (!beta && !alpha) return {0, 0, 0};
  i += beta ? 4 : 5;
  return {beta ? 2 : 1, major, number()};
}

}  // namespace

Registry::Registry(std::vector<InfoPtr> infos) : infos_(std::move(infos)) {
  for (const InfoPtr& info : infos_) {
    by_path_.emplace(std::tuple(info->group, info->version, info->plural), info);
    if (info->group.empty()) continue;
    auto group = std::find_if(groups_.begin(), groups_.end(), [&](const Group& g) { return g.name == info->group; });
    if (group == groups_.end()) group = groups_.insert(groups_.end(), {info->group, {}});
    if (std::count(group->versions.begin(), group->versions.end(), info->version) == 0) {
      group->versions.push_back(info->version);
    }
  }
  for (Group& group : groups_) {
    std::stable_sort(group.versions.begin(), group.versions.end(), [](const std::string& a, const std::string& b) {
      return version_rank(a) != version_rank(b) ? version_rank(a) > version_rank(b) : a < b;
    });
  }
}

InfoPtr Registry::find(std::string_view group, std::string_view version, std::string_view plural) const {
  const auto found = by_path_.find(std::tuple(group, version, plural));
  return found == by_path_.end() ? nullptr : found->second;
}

InfoPtr Registry::find(const Resource& resource) const {
  InfoPtr best;
  for (auto it = by_path_.lower_bound(std::tuple(resource.group, std::string(), std::string()));
       it != by_path_.end() && std::get<0>(it->first) == resource.group; ++it) {
    const InfoPtr& info = it->second;
    if (info->plural != resource.plural) continue;
    if (info->stored_api_version() == info->api_version()) return info;
    if (!best) best = info;
  }
  return best;
}

InfoPtr Registry::find_kind(std::string_view api_version, std::string_view kind) const {
  for (const InfoPtr& info : infos_) {
    if (info->kind == kind && info->api_version() == api_version) return info;
  }
  return nullptr;
}

std::vector<InfoPtr> Registry::of(std::string_view group, std::string_view version) const {
  std::vector<InfoPtr> result;
  for (auto it = by_path_.lower_bound(std::tuple(group, version, std::string_view()));
       it != by_path_.end() && std::get<0>(it->first) == group && std::get<1>(it->first) == version; ++it) {
    result.push_back(it->second);
  }
  return result;
}

RegistryHolder::RegistryHolder() : current_(std::make_shared<const Registry>(builtin_resources())) {}

std::shared_ptr<const Registry> RegistryHolder::get() const {
  std::lock_guard lock(mutex_);
  return current_;
}

void RegistryHolder::set_custom(const std::string& crd_name, std::vector<InfoPtr> infos) {
  std::lock_guard lock(mutex_);
  if (infos.empty())
    custom_.erase(crd_name);
  else
    custom_[crd_name] = std::move(infos);
  std::vector<InfoPtr> all = builtin_resources();
  std::vector<InfoPtr> custom;
  for (const auto& [name, of_crd] : custom_) custom.insert(custom.end(), of_crd.begin(), of_crd.end());
  std::stable_sort(custom.begin(), custom.end(),
                   [](const InfoPtr& a, const InfoPtr& b) { return a->group < b->group; });
  all.insert(all.end(), custom.begin(), custom.end());
  current_ = std::make_shared<const Registry>(std::move(all));
  ++version_;
}

uint64_t RegistryHolder::version() const {
  std::lock_guard lock(mutex_);
  return version_;
}

}  // namespace tenon::kubesim::apiserver
