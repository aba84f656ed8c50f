// SPDX-License-Identifier: Apache-2.0
#include "cloud/kwok_provider/waiting_nodes.h"

#include <algorithm>
#include <utility>

#include "json/json.h"
#include "kube/resource_types.h"

namespace tenon::cloud {

WaitingNodes::WaitingNodes(runtime::Runtime& runtime, kube::Client& client, tenon::log::Logger log)
    : runtime_(runtime), client_(client), log_(std::move(log)), changed_(runtime.make_event()) {}

WaitingNodes::~WaitingNodes() { task_.reset(); }

void WaitingNodes::add(Instance instance, Document node, Instant due) {
  {
    const std::lock_guard lock(mutex_);
    const std::string id = instance.provider_id;
    entries_.insert_or_assign(id, Entry{std::move(instance), std::move(node), due});
    if (!task_) task_ = runtime_.spawn("kwok.nodes", [this](const std::stop_token& stop) { run(stop); });
  }
  changed_->notify();
}

std::optional<Instance> WaitingNodes::find(const std::string& provider_id) const {
  const std::lock_guard lock(mutex_);
  const auto at = entries_.find(provider_id);
  return at == entries_.end() ? std::nullopt : std::optional(at->second.instance);
}

std::vector<Instance> WaitingNodes::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<Instance> out;
  for (const auto& [id, entry] : entries_) out.push_back(entry.instance);
  return out;
}

bool WaitingNodes::remove(const std::string& provider_id) {
  const std::lock_guard lock(mutex_);
  return entries_.erase(provider_id) > 0;
}

void WaitingNodes::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const uint64_t seen = changed_->version();
    for (const auto& [id, entry] : due_by(runtime_.now())) create(id, entry, stop);
    if (changed_->wait(seen, next_due(), stop) == runtime::Wake::kStopped) return;
  }
}

std::map<std::string, WaitingNodes::Entry> WaitingNodes::due_by(Instant now) const {
  const std::lock_guard lock(mutex_);
  std::map<std::string, Entry> out;
  for (const auto& [id, entry] : entries_) {
    if (entry.due <= now) out.emplace(id, entry);
  }
  return out;
}

Instant WaitingNodes::next_due() const {
  const std::lock_guard lock(mutex_);
  Instant next = kNever;
  for (const auto& [id, entry] : entries_) next = std::min(next, entry.due);
  return next;
}

void WaitingNodes::create(const std::string& provider_id, const Entry& entry, const std::stop_token& stop) {
  const auto created = client_.create(kube::kNodes, "", *entry.node, stop);
  const bool exists = created || created.error().code == Code::kAlreadyExists;
  bool ended = false;
  {
    const std::lock_guard lock(mutex_);
    const auto at = entries_.find(provider_id);
    ended = at == entries_.end();
    if (!ended && exists) entries_.erase(at);
    if (!ended && !exists) at->second.due = runtime_.now() + kRetry;
  }
  const std::string name(json::string_at(*entry.node, {"metadata", "name"}));
  if (!exists && created.error().code != Code::kCancelled) log_.failure("kwok.nodes", name, created.error());
  if (!ended || !exists) return;
  // The instance was terminated while its Node was being created.
  const Status removed = client_.remove(kube::kNodes, {"", name}, {}, stop);
  if (!removed && removed.error().code != Code::kNotFound) log_.failure("kwok.nodes", name, removed.error());
}

}  // namespace tenon::cloud
