// SPDX-License-Identifier: Apache-2.0
#include "cloud/testing/memory_provider.h"

#include <algorithm>
#include <utility>

#include "model/generations.h"
#include "model/labels.h"

namespace tenon::cloud::testing {
namespace {

std::string instance_id(const std::string& provider_id) { return provider_id.substr(provider_id.rfind('/') + 1); }

Status check_ready(const model::NodeClass& node_class) {
  const model::Condition* ready = model::find_condition(node_class.conditions, "Ready");
  if (!ready || ready->status == "Unknown") return fail(Code::kUnavailable, "its readiness is not known yet");
  if (ready->status != "True") return fail(Code::kConflict, "NodeClassRef not ready, " + node_class.meta.name);
  return ok();
}

model::StringMap labels_of(const model::InstanceType& type, const model::Offering& offering) {
  return {{std::string(model::kLabelInstanceType), type.name},
          {std::string(model::kLabelZone), offering.zone},
          {std::string(model::kLabelCapacityType), offering.capacity_type}};
}

}  // namespace

void MemoryProvider::put(Instance instance) {
  const std::lock_guard lock(mutex_);
  const std::string id = instance.provider_id;
  entries_[id].instance = std::move(instance);
}

void MemoryProvider::end(const std::string& provider_id) {
  const std::lock_guard lock(mutex_);
  entries_.erase(provider_id);
}

void MemoryProvider::end_all() {
  const std::lock_guard lock(mutex_);
  entries_.clear();
}

void MemoryProvider::hide_all() {
  const std::lock_guard lock(mutex_);
  for (auto& [id, entry] : entries_) entry.listed = false;
}

bool MemoryProvider::avoided(const std::string& type, const model::Offering& offering) const {
  const auto at = avoided_until_.find(type + " " + offering.zone);
  return offering.capacity_type == model::kCapacitySpot && at != avoided_until_.end() && runtime_.now() < at->second;
}

MemoryProvider::Choice MemoryProvider::cheapest(const model::NodeClaim& claim,
                                                const std::vector<model::InstanceType>& offered) const {
  Choice best;
  const auto wanted = model::Requirements::make(claim.requirements);
  if (!wanted) return best;
  for (const model::InstanceType& type : offered) {
    if (!claim.requests.fits(type.allocatable())) continue;
    for (const model::Offering& offering : type.offerings) {
      const bool allowed = wanted->get(model::kLabelInstanceType).allows(type.name) &&
                           wanted->get(model::kLabelZone).allows(offering.zone) &&
                           wanted->get(model::kLabelCapacityType).allows(offering.capacity_type);
      if (!allowed || !offering.available || avoided(type.name, offering)) continue;
      if (!best.offering || offering.price < best.offering->price) best = {&type, &offering};
    }
  }
  return best;
}

Result<Instance> MemoryProvider::create(const model::NodeClaim& claim, const model::NodeClass& node_class,
                                        const InstanceTypes& of_pool, const std::stop_token&) {
  TRY(check_ready(node_class));
  const std::lock_guard lock(mutex_);
  if (const auto known = launched_.find(claim.meta.uid); known != launched_.end()) {
    const auto entry = entries_.find(known->second);
    if (entry != entries_.end()) return entry->second.instance;
  }
  const Choice choice = cheapest(claim, of_pool ? *of_pool : types);
  if (!choice.offering) return fail(Code::kInsufficientCapacity, "no offering is available");
  Instance instance;
  const std::string number = std::to_string(launched_.size() + 1);
  instance.provider_id = "aws:///" + choice.offering->zone + "/i-" + number;
  instance.instance_type = choice.type->name;
  instance.zone = choice.offering->zone;
  instance.zone_id = choice.offering->zone_id;
  instance.capacity_type = choice.offering->capacity_type;
  instance.image_id = "ami-memory";
  instance.claim_name = claim.meta.name;
  instance.pool = std::string(claim.pool());
  instance.cluster = "memory";
  instance.labels = labels_of(*choice.type, *choice.offering);
  instance.annotations = {{std::string(model::kAnnotationNodeClassHash), hash(node_class)},
                          {std::string(model::kAnnotationNodeClassHashVersion), hash_version()}};
  instance.capacity = choice.type->capacity;
  instance.allocatable = choice.type->allocatable();
  instance.launched_at = runtime_.now();
  launched_[claim.meta.uid] = instance.provider_id;
  entries_[instance.provider_id].instance = instance;
  return instance;
}

// This cloud launches the lowest-priced offering, but a caller must expect any that the claim allows.
Result<model::Price> MemoryProvider::highest_price(const model::NodeClaim& claim,
                                                   const std::vector<model::InstanceType>& offered) const {
  const auto wanted = TRY(model::Requirements::make(claim.requirements));
  std::optional<model::Price> highest;
  for (const model::InstanceType& type : offered) {
    for (const model::Offering& offering : type.offerings) {
      const bool allowed = wanted.get(model::kLabelInstanceType).allows(type.name) && offering.available;
      if (allowed && (!highest || *highest < offering.price)) highest = offering.price;
    }
  }
  if (!highest) return fail(Code::kInsufficientCapacity, "no offering is available");
  return *highest;
}

Status MemoryProvider::remove(const std::string& provider_id, const std::stop_token&) {
  const std::lock_guard lock(mutex_);
  removed.push_back(provider_id);
  if (entries_.erase(provider_id) == 0) return fail(Code::kNotFound, provider_id + " is not known");
  lost_.expect_end_of(instance_id(provider_id), runtime_.now());
  return ok();
}

Result<bool> MemoryProvider::name_instance(const model::NodeClaim& claim, const std::stop_token&) {
  const std::lock_guard lock(mutex_);
  const auto entry = entries_.find(claim.provider_id);
  if (entry == entries_.end()) return fail(Code::kNotFound, claim.provider_id + " is not known");
  entry->second.instance.claim_name = claim.meta.name;
  return entry->second.names.insert(claim.node_name).second;
}

Status MemoryProvider::finalize(const model::NodeClass&, const std::stop_token&) { return ok(); }

Result<std::vector<std::string>> MemoryProvider::remove_stray_profiles(const std::set<std::string>&,
                                                                       const std::stop_token&) {
  return std::vector<std::string>();
}

void MemoryProvider::taken_back(const model::NodeClaim& claim) {
  const std::lock_guard lock(mutex_);
  const auto label = [&](std::string_view key) { return std::string(model::lookup(claim.meta.labels, key)); };
  avoided_until_[label(model::kLabelInstanceType) + " " + label(model::kLabelZone)] = runtime_.now() + kAvoidFor;
}

void MemoryProvider::end_announced(const model::NodeClaim& claim) {
  lost_.expect_end_of(instance_id(claim.provider_id), runtime_.now());
}

Result<Instance> MemoryProvider::get(const std::string& provider_id, const std::stop_token&) {
  const std::lock_guard lock(mutex_);
  if (outage) return fail(*outage, "an outage");
  const auto entry = entries_.find(provider_id);
  if (entry == entries_.end()) return fail(Code::kNotFound, provider_id + " is not known");
  return entry->second.instance;
}

Result<std::vector<Instance>> MemoryProvider::list(const std::stop_token&) {
  const std::lock_guard lock(mutex_);
  std::vector<Instance> instances;
  LostInstances::Pools living;
  for (const auto& [id, entry] : entries_) {
    if (!entry.listed) continue;
    instances.push_back(entry.instance);
    living[instance_id(id)] = entry.instance.pool;
  }
  lost_.listed(std::move(living), runtime_.now());
  return instances;
}

Result<InstanceTypes> MemoryProvider::instance_types(const model::NodeClass& node_class, const std::stop_token&) {
  TRY(check_ready(node_class));
  {
    const std::lock_guard lock(mutex_);
    known_ = types;
  }
  return known_types(node_class);
}

Result<InstanceTypes> MemoryProvider::known_types(const model::NodeClass& node_class) {
  TRY(check_ready(node_class));
  const std::lock_guard lock(mutex_);
  if (!known_) return fail(Code::kUnavailable, "the types have not been read yet");
  auto now = std::make_shared<std::vector<model::InstanceType>>(*known_);
  for (model::InstanceType& type : *now) {
    for (model::Offering& offering : type.offerings)
      offering.available = offering.available && !avoided(type.name, offering);
  }
  return InstanceTypes(std::move(now));
}

void MemoryProvider::learn(const model::NodeClaim& claim, const model::NodeClass&, const model::Resources& capacity) {
  const std::lock_guard lock(mutex_);
  if (!known_) return;
  for (model::InstanceType& type : *known_) {
    if (type.name == model::lookup(claim.meta.labels, model::kLabelInstanceType))
      type.capacity.set(model::kMemory, std::min(type.capacity.get(model::kMemory), capacity.get(model::kMemory)));
  }
}

bool MemoryProvider::manages(const model::NodeClassRef& ref) const { return ref.of_aws(); }

Result<model::NodeClass> MemoryProvider::resolve(const model::NodeClass& node_class,
                                                 const std::vector<model::NodePool>&, const std::stop_token&) {
  model::NodeClass resolved = node_class;
  model::set_condition(resolved.conditions, {.type = "Ready",
                                             .status = "True",
                                             .reason = "Ready",
                                             .message = "",
                                             .last_transition = node_class.meta.created_at,
                                             .observed_generation = node_class.meta.generation});
  return resolved;
}

std::string MemoryProvider::hash(const model::NodeClass& node_class) const {
  std::string text = node_class.role + "|" + node_class.ami_family + "|" + node_class.user_data;
  for (const auto& [key, value] : node_class.tags) text += "|" + key + "=" + value;
  return text;
}

Result<std::string> MemoryProvider::drifted(const model::NodeClaim& claim, const model::NodeClass& node_class,
                                            const std::stop_token& stop) {
  TRY(get(claim.provider_id, stop));
  const std::string_view mine = model::lookup(claim.meta.annotations, model::kAnnotationNodeClassHash);
  const std::string_view version = model::lookup(claim.meta.annotations, model::kAnnotationNodeClassHashVersion);
  const bool comparable = version == hash_version() && !mine.empty();
  return std::string(comparable && mine != hash(node_class) ? "NodeClassDrift" : "");
}

}  // namespace tenon::cloud::testing
