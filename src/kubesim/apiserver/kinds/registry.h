// The resources that the API server serves, as data. One ResourceInfo per (group, version, resource). A Registry is an
// immutable set of them; each change of the spec of a CustomResourceDefinition replaces the Registry as a whole.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "kubesim/apiserver/base/resource_info.h"

namespace tenon::kubesim::apiserver {

class Registry {
 public:
  explicit Registry(std::vector<InfoPtr> infos);
  // Returns null if the resource does not exist.
  InfoPtr find(std::string_view group, std::string_view version, std::string_view plural) const;
  // Returns the resource in its stored version; if that version is not served, in a served one.
  InfoPtr find(const Resource& resource) const;
  InfoPtr find_kind(std::string_view api_version, std::string_view kind) const;
  const std::vector<InfoPtr>& all() const { return infos_; }
  // The groups in discovery order, without the core group. Of the versions, the preferred one comes first.
  struct Group {
    std::string name;
    std::vector<std::string> versions;
  };
  const std::vector<Group>& groups() const { return groups_; }
  // Returns the resources of one group version, sorted by name.
  std::vector<InfoPtr> of(std::string_view group, std::string_view version) const;

 private:
  std::vector<InfoPtr> infos_;
  std::vector<Group> groups_;
  std::map<std::tuple<std::string, std::string, std::string>, InfoPtr, std::less<>> by_path_;
};

// Holds the current registry. Thread rule: any thread.
class RegistryHolder {
 public:
  RegistryHolder();  // the built-in resources (builtin_resources.h)
  std::shared_ptr<const Registry> get() const;
  // Replaces the custom resources of one CustomResourceDefinition. infos: empty if the definition was deleted.
  void set_custom(const std::string& crd_name, std::vector<InfoPtr> infos);
  // Increments with every set_custom.
  uint64_t version() const;

 private:
  mutable std::mutex mutex_;
  uint64_t version_ = 1;
  std::map<std::string, std::vector<InfoPtr>> custom_;
  std::shared_ptr<const Registry> current_;
};

}  // namespace tenon::kubesim::apiserver
