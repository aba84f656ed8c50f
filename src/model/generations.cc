// SPDX-License-Identifier: Apache-2.0
#include "model/generations.h"

#include <mutex>
#include <set>

#include "model/labels.h"

namespace tenon::model {
namespace {

std::string_view stored_key(std::string_view provisioner) {
  static std::mutex mutex;
  static std::set<std::string, std::less<>> keys;
  const std::string key = std::string(kProvisionerPrefix) + std::string(provisioner);
  const std::lock_guard lock(mutex);
  return *keys.insert(key).first;
}

}  // namespace

bool is_provisioner(std::string_view pool) { return pool.starts_with(kProvisionerPrefix); }

bool is_node_template(std::string_view node_class) { return node_class.starts_with(kNodeTemplatePrefix); }

bool is_inline_provider(std::string_view node_class) { return is_provisioner(node_class); }

std::string_view object_name(std::string_view key) {
  const size_t slash = key.find('/');
  return slash == std::string_view::npos ? key : key.substr(slash + 1);
}

std::string pool_reference(std::string_view pool) {
  return is_provisioner(pool) ? std::string(pool) : "nodepool/" + std::string(pool);
}

std::pair<std::string_view, std::string_view> pool_label(std::string_view pool) {
  return {is_provisioner(pool) ? kLabelProvisioner : kLabelNodePool, object_name(pool)};
}

std::string_view pool_of(const StringMap& labels) {
  if (const std::string_view name = lookup(labels, kLabelNodePool); !name.empty()) return name;
  const std::string_view provisioner = lookup(labels, kLabelProvisioner);
  return provisioner.empty() ? provisioner : stored_key(provisioner);
}

}  // namespace tenon::model
