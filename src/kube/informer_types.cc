// Informer<T>'s members, and the kinds it is made for.
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "json/json.h"
#include "kube/codec/codec.h"
#include "kube/informer.h"

namespace tenon::kube {
namespace {

template <class T>
const model::ObjectMeta& meta_of(const T& object) {
  return object.meta;
}
const model::ObjectMeta& meta_of(const model::ObjectMeta& meta) { return meta; }

// A list after a reconnect brings mostly what is there already.
template <class T>
bool same_version(const T& a, const T& b) {
  return meta_of(a).uid == meta_of(b).uid && !meta_of(a).resource_version.empty() &&
         meta_of(a).resource_version == meta_of(b).resource_version;
}

}  // namespace

template <class T>
typename Informer<T>::Ptr Informer<T>::read(const std::string& key, const json::value& object) {
  Result<T> decoded = decode_(object);
  if (decoded && keep_ && !keep_(*decoded)) return nullptr;
  if (decoded) return std::make_shared<const T>(*std::move(decoded));
  const std::lock_guard lock(mutex_);
  ++dropped_;
  decode_problem_ = type_.kind + " \"" + key + "\": " + decoded.error().message;
  return nullptr;
}

template <class T>
void Informer<T>::put(const std::string& key, Ptr after) {
  Change change{key, nullptr, after};
  {
    const std::lock_guard lock(mutex_);
    const auto it = objects_.find(key);
    if (it != objects_.end()) change.before = it->second;
    if (!after) {
      if (it == objects_.end()) return;
      objects_.erase(it);
    } else if (change.before && same_version(*change.before, *after)) {
      return;
    } else {
      objects_.insert_or_assign(key, std::move(after));
    }
  }
  for (const auto& handler : handlers_) handler(change);
}

template <class T>
void Informer<T>::list_page(std::vector<json::value> items, bool first) {
  if (first) listed_.clear();
  for (json::value& item : items) {
    const std::string key = object_key(item);
    if (Ptr object = read(key, item)) {
      listed_.insert(key);
      put(key, std::move(object));
    }
    item = nullptr;  // let go of each document once it is decoded
  }
}

template <class T>
void Informer<T>::list_done() {
  std::vector<std::string> gone;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, object] : objects_) {
      if (!listed_.contains(key)) gone.push_back(key);
    }
  }
  listed_.clear();
  for (const std::string& key : gone) put(key, nullptr);
}

template <class T>
void Informer<T>::upsert(const json::value& object) {
  const std::string key = object_key(object);
  put(key, read(key, object));
}

template <class T>
void Informer<T>::erase(const json::value& object) {
  put(object_key(object), nullptr);
}

template <class T>
void Informer<T>::no_such_kind() {
  listed_.clear();
  list_done();
  if (const auto tell = std::exchange(on_absent_, nullptr)) tell();
}

template <class T>
std::string Informer<T>::last_problem() const {
  {
    const std::lock_guard lock(mutex_);
    if (!decode_problem_.empty()) return decode_problem_;
  }
  return reflector_ ? reflector_->last_problem() : std::string();
}

template class Informer<model::Pod>;
template class Informer<model::Node>;
template class Informer<model::NodeClaim>;
template class Informer<model::NodePool>;
template class Informer<model::NodeClass>;
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
template class Informer<codec::VolumeAttachment>;

}  // namespace tenon::kube
