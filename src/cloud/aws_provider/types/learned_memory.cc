// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/types/learned_memory.h"

#include <algorithm>
#include <set>

#include "cloud/aws_provider/util/stable_hash.h"

namespace tenon::cloud {
namespace {

uint64_t hash_of(const std::vector<model::ResolvedAmi>& amis) {
  std::set<std::string> ids;
  for (const model::ResolvedAmi& ami : amis) ids.insert(ami.id);
  StableHash hash;
  for (const std::string& id : ids) hash.add(id);
  return hash.value();
}

}  // namespace

void LearnedMemory::learn(const std::string& type, const std::vector<model::ResolvedAmi>& amis, int64_t bytes,
                          Instant now) {
  const uint64_t key = hash_of(amis);
  const std::scoped_lock lock(mutex_);
  for (auto& [hash, types] : entries_)
    std::erase_if(types, [now](const auto& entry) { return now >= entry.second.until; });
  std::erase_if(entries_, [](const auto& entry) { return entry.second.empty(); });
  const auto it = entries_[key].try_emplace(type, Entry{bytes, now + kLearnedFor}).first;
  it->second = {std::min(bytes, it->second.bytes), now + kLearnedFor};
}

BytesByType LearnedMemory::of(const std::vector<model::ResolvedAmi>& amis, Instant now) const {
  const uint64_t key = hash_of(amis);
  BytesByType known;
  const std::scoped_lock lock(mutex_);
  const auto it = entries_.find(key);
  if (it == entries_.end()) return known;
  for (const auto& [type, entry] : it->second) {
    if (now < entry.until) known.emplace_hint(known.end(), type, entry.bytes);
  }
  return known;
}

}  // namespace tenon::cloud
