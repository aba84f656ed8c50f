// The structural hash of the drift annotations (karpenter.sh/nodepool-hash and others): FNV-1 over the Go structure of
// a value, without zero fields, lists as sets. Clusters hold hashes that Karpenter wrote, so it is bit-compatible.
// parity: github.com/mitchellh/hashstructure v2 (SlicesAsSets, IgnoreZeroValue, ZeroNil), checked by published values
//
//   StructHash h("Taint");
//   h.field("Key", hash_string(taint.key), !taint.key.empty());
//   uint64_t value = h.value();
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/meta.h"

namespace tenon::model {

struct NodePool;

uint64_t hash_string(std::string_view text);
uint64_t hash_bool(bool value);
uint64_t hash_int64(int64_t value);
uint64_t hash_int32(int32_t value);
uint64_t hash_map(const StringMap& map);

class StructHash {
 public:
  explicit StructHash(std::string_view go_type);
  // Adds a field, in declaration order, unless `present` is false (a zero value).
  StructHash& field(std::string_view go_name, uint64_t value, bool present);
  uint64_t value() const { return hash_; }

 private:
  uint64_t hash_;
};

// Returns the hash of spec.template in decimal: the annotation karpenter.sh/nodepool-hash. parity: NodePool.Hash
std::string node_pool_hash(const NodePool& pool);
inline constexpr std::string_view kNodePoolHashVersion = "v3";

}  // namespace tenon::model
