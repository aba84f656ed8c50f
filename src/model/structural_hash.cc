// SPDX-License-Identifier: Apache-2.0
#include "model/structural_hash.h"

#include "model/node_pool.h"

namespace tenon::model {
namespace {

constexpr uint64_t kOffset = 0xcbf29ce484222325;
constexpr uint64_t kPrime = 0x100000001b3;

uint64_t fnv1(std::string_view bytes) {
  uint64_t h = kOffset;
  for (const char c : bytes) h = (h * kPrime) ^ static_cast<unsigned char>(c);
  return h;
}

std::string little_endian(uint64_t value, size_t width) {
  std::string bytes;
  for (size_t i = 0; i < width; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
  return bytes;
}

uint64_t ordered(uint64_t a, uint64_t b) { return fnv1(little_endian(a, 8) + little_endian(b, 8)); }
uint64_t finish(uint64_t a) { return fnv1(little_endian(a, 8)); }

uint64_t hash_taints(const std::vector<Taint>& taints) {
  uint64_t set = 0;
  for (const Taint& taint : taints) {
    StructHash h("Taint");
    h.field("Key", hash_string(taint.key), !taint.key.empty());
    h.field("Value", hash_string(taint.value), !taint.value.empty());
    h.field("Effect", hash_string(taint.effect), !taint.effect.empty());
    set ^= h.value();
  }
  return set;
}

uint64_t hash_duration(std::string_view go_type, Duration d) {
  return StructHash(go_type).field("Duration", hash_int64(d.count()), d.count() != 0).value();
}

}  // namespace

uint64_t hash_string(std::string_view text) { return fnv1(text); }
uint64_t hash_bool(bool value) { return fnv1(std::string(1, value ? '\1' : '\0')); }
uint64_t hash_int64(int64_t value) { return fnv1(little_endian(static_cast<uint64_t>(value), 8)); }
uint64_t hash_int32(int32_t value) { return fnv1(little_endian(static_cast<uint32_t>(value), 4)); }

uint64_t hash_map(const StringMap& map) {
  uint64_t set = 0;
  for (const auto& [key, value] : map) set ^= ordered(fnv1(key), fnv1(value));
  return finish(set);
}

StructHash::StructHash(std::string_view go_type) : hash_(fnv1(go_type)) {}

StructHash& StructHash::field(std::string_view go_name, uint64_t value, bool present) {
  if (present) hash_ = finish(hash_ ^ ordered(fnv1(go_name), value));
  return *this;
}

std::string node_pool_hash(const NodePool& pool) {
  const NodeTemplate& t = pool.node_template;
  StructHash meta("ObjectMeta");
  meta.field("Labels", hash_map(t.labels), !t.labels.empty());
  meta.field("Annotations", hash_map(t.annotations), !t.annotations.empty());

  const NodeClassRef& r = t.node_class_ref;
  StructHash class_ref("NodeClassReference");
  class_ref.field("Kind", hash_string(r.kind), !r.kind.empty());
  class_ref.field("Name", hash_string(r.name), !r.name.empty());
  class_ref.field("Group", hash_string(r.group), !r.group.empty());

  StructHash spec("NodeClaimTemplateSpec");
  spec.field("Taints", hash_taints(t.taints), !t.taints.empty());
  spec.field("StartupTaints", hash_taints(t.startup_taints), !t.startup_taints.empty());
  spec.field("NodeClassRef", class_ref.value(), true);
  if (t.termination_grace_period) {
    spec.field("TerminationGracePeriod", hash_duration("Duration", *t.termination_grace_period), true);
  }
  if (t.expire_after) spec.field("ExpireAfter", hash_duration("NillableDuration", *t.expire_after), true);

  StructHash whole("NodeClaimTemplate");
  whole.field("ObjectMeta", meta.value(), !t.labels.empty() || !t.annotations.empty());
  whole.field("Spec", spec.value(), true);
  return std::to_string(whole.value());
}

}  // namespace tenon::model
