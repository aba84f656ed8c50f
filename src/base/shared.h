// Shared<T>: a value with copy-on-write. Copies share one object until one of them is edited. For large parts that many
// owners have in common: a hundred thousand pods have some hundred specs.
//
//   Shared<PodSpec> a;
//   a.edit().priority = 5;
//   Shared<PodSpec> b = a;   // no copy
//   b.edit().priority = 6;   // b has its own object now; a->priority is still 5
//
// Thread rule: as for any value. Different threads may use different Shareds, also if these share an object.
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
  // The reference is valid until this Shared is copied, assigned or destroyed.
  T& edit() {
    if (!alone()) *this = Shared(**this);
    return object_->value;
  }
  // Returns how many Shareds own this object; 0: there is no object, the value is the default.
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
