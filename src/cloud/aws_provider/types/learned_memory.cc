// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/types/learned_memory.h"

#include <set>

#include "cloud/aws_provider/util/stable_hash.h"

namespace tenon::cloud {
namespace {

std::string key_of(const std::string& type, const std::vector<model::ResolvedAmi>& amis) {
  std::set<std::string> ids;
  for (const model::ResolvedAmi& ami : amis) ids.insert(ami.id);
  StableHash hash;
  for (const std::string& id : ids) hash.add(id);
  return type + "/" + std::to_string(hash.value());
}

}  // namespace

void LearnedMemory::learn(const std::string& type, const std::vector<model::ResolvedAmi>& amis, int64_t bytes,
                          Instant now) {
  const std::string key = key_of(type, amis);
  const std::scoped_lock lock(mutex_);
  std::erase_if(entries_, [now](const auto& entry) { return now >= entry.second.until; });
  const auto [it, fresh] = entries_.try_emplace(key, Entry{bytes, now + kLearnedFor});
  if (fresh || bytes < it->second.bytes) ++version_;
  it->second = {std::min(bytes, it->second.bytes), now + kLearnedFor};
}

std::optional<int64_t> LearnedMemory::find(const std::string& type, const std::vector<model::ResolvedAmi>& amis,
                                           Instant now) const {
  const std::scoped_lock lock(mutex_);
  if (entries_.empty()) return std::nullopt;
  const auto it = entries_.find(key_of(type, amis));
  return it == entries_.end() || now >= it->second.until ? std::nullopt : std::optional(it->second.bytes);
}

uint64_t LearnedMemory::version() const {
  const std::scoped_lock lock(mutex_);
  return version_;
}

}  // namespace tenon::cloud
