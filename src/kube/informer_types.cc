// The members of Informer<T>, and its instantiations.
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "json/json.h"
#include "kube/codec/codec.h"
#include "kube/informer.h"
#include "kube/limits.h"
#include "kube/salvage.h"

namespace tenon::kube {
namespace {

template <class T>
const model::ObjectMeta& meta_of(const T& object) {
  return object.meta;
}
const model::ObjectMeta& meta_of(const model::ObjectMeta& meta) { return meta; }

// A list after a reconnect contains mostly unchanged objects.
template <class T>
bool same_version(const T& a, const T& b) {
  return meta_of(a).uid == meta_of(b).uid && !meta_of(a).resource_version.empty() &&
         meta_of(a).resource_version == meta_of(b).resource_version;
}

}  // namespace

template <class T>
std::optional<typename Informer<T>::Ptr> Informer<T>::read(const std::string& key, const json::value& object) {
  std::string fault;
  Result<T> decoded = decode_(object, &fault);
  if (!decoded) fault = decoded.error().message;
  const bool usable = decoded && (fault.empty() || salvage(*decoded, object, fault));
  if (usable && keep_ && !keep_(*decoded)) return Ptr();  // a fault is not reported either
  note_fault(key, object, fault);
  if (!usable) return std::nullopt;
  return std::make_shared<const T>(*std::move(decoded));
}

template <class T>
void Informer<T>::put(const std::string& key, Ptr after) {
  if (!after) forget_fault(key);
  Change change{key, nullptr, after};
  {
    const std::lock_guard lock(mutex_);
    const auto it = objects_.find(key);
    if (it != objects_.end()) change.before = it->second.object;
    if (!after) {
      if (it == objects_.end()) return;
      objects_.erase(it);
    } else if (change.before && same_version(*change.before, *after)) {
      return;
    } else if (it != objects_.end()) {
      it->second.object = std::move(after);
    } else {
      objects_.emplace(key, Entry{std::move(after), lists_});
    }
  }
  for (const auto& handler : handlers_) handler(change);
}

template <class T>
void Informer<T>::list_item(const json::value& object) {
  const std::string key = object_key(object);
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = objects_.find(key); known != objects_.end()) known->second.listed = lists_;
  }
  if (auto read_now = read(key, object)) put(key, *std::move(read_now));
}

template <class T>
bool Informer<T>::list_done() {
  const Instant now = runtime_.now();
  std::vector<std::string> gone;
  std::map<std::string, Instant> missing;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, entry] : objects_) {
      if (entry.listed == lists_) continue;
      const auto known = suspects_.find(key);
      const Instant since = known == suspects_.end() ? now : known->second;
      if (now - since >= kConfirmAfter) {
        gone.push_back(key);
      } else {
        missing.emplace(key, since);
      }
    }
  }
  suspects_ = std::move(missing);
  for (const std::string& key : gone) put(key, nullptr);
  return suspects_.empty();
}

template <class T>
void Informer<T>::upsert(const json::value& object) {
  const std::string key = object_key(object);
  suspects_.erase(key);
  if (auto read_now = read(key, object)) put(key, *std::move(read_now));
}

template <class T>
void Informer<T>::erase(const json::value& object) {
  const std::string key = object_key(object);
  suspects_.erase(key);
  put(key, nullptr);
}

template class Informer<model::Pod>;
template class Informer<model::Node>;
template class Informer<model::NodeClaim>;
template class Informer<model::NodePool>;
template class Informer<model::NodeClass>;
template class Informer<model::GlobalSettings>;
template class Informer<model::Freeze>;
template class Informer<model::DaemonSet>;
template class Informer<model::PodDisruptionBudget>;
template class Informer<model::PersistentVolumeClaim>;
template class Informer<model::PersistentVolume>;
template class Informer<model::StorageClass>;
template class Informer<model::CsiNode>;
template class Informer<model::ObjectMeta>;
template class Informer<model::NodeOverlay>;
template class Informer<model::CapacityBuffer>;
template class Informer<model::PodSource>;
template class Informer<model::PodSelector>;
template class Informer<codec::VolumeAttachment>;

}  // namespace tenon::kube
