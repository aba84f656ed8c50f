// Shared<T>: a value whose copies are one object until somebody edits theirs. For large parts that many owners have in
// common: a hundred thousand pods have some hundred specs.
//
//   Shared<PodSpec> a;
//   a.edit().priority = 5;
//   Shared<PodSpec> b = a;   // no copy
//   b.edit().priority = 6;   // b's own from now on; a->priority is still 5
//
// Thread rule: as for any value: different Shareds may be used by different threads, whether they have an object in
// common or not.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

namespace tenon {

template <class T>
class Shared {
 public:
  Shared() = default;
  explicit Shared(T value) : object_(new Object{std::move(value)}) {}
  Shared(const Shared& other) : object_(other.object_) {
    if (object_) object_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  Shared(Shared&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Shared& operator=(Shared other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Shared() {
    if (object_ && object_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete object_;
  }

  const T& operator*() const { return object_ ? object_->value : nothing(); }
  const T* operator->() const { return &**this; }
  // The reference is good until this Shared is copied, assigned or gone.
  T& edit() {
    if (!alone()) *this = Shared(**this);
    return object_->value;
  }
  // How many Shareds there are of this object; 0: it was never edited.
  size_t owners() const { return object_ ? object_->owners.load(std::memory_order_acquire) : 0; }
  friend bool operator==(const Shared& a, const Shared& b) { return a.object_ == b.object_ || *a == *b; }

 private:
  struct Object {
    T value;
    std::atomic<size_t> owners = 1;
  };
  bool alone() const { return owners() == 1; }
  static const T& nothing() {
    static const T value{};
    return value;
  }

  Object* object_ = nullptr;
};

}  // namespace tenon
