// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/resources/subnets.h"

#include <algorithm>

#include "cloud/aws_provider/resources/amis.h"

namespace tenon::cloud {

Result<std::vector<model::ResolvedSubnet>> Subnets::resolve(const model::NodeClass& node_class,
                                                            const std::stop_token& stop) {
  const std::string key =
      node_class.meta.name + "/" + node_class.meta.uid + "/" + std::to_string(node_class.meta.generation);
  if (auto known = cache_.find(key)) return std::move(*known);
  std::map<std::string, aws::Subnet> found;
  const auto ask = [&](const aws::Filters& filters) -> Status {
    for (aws::Subnet& subnet : TRY(ec2_.describe_subnets(filters, stop))) found[subnet.id] = std::move(subnet);
    return ok();
  };
  std::vector<std::string> ids;
  for (const model::SelectorTerm& term : node_class.subnet_selector_terms) {
    if (!term.id.empty()) {
      ids.push_back(term.id);
    } else {
      TRY(ask(tag_filters(term.tags)));
    }
  }
  if (!ids.empty()) TRY(ask({{"subnet-id", ids}}));
  std::vector<const aws::Subnet*> order;
  for (const auto& [id, subnet] : found) order.push_back(&subnet);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) { return a->free_ips > b->free_ips; });
  std::vector<model::ResolvedSubnet> subnets;
  for (const aws::Subnet* subnet : order) subnets.push_back({subnet->id, subnet->zone, subnet->zone_id});
  {
    const std::scoped_lock lock(mutex_);
    for (const aws::Subnet* subnet : order) counts_[subnet->id] = {subnet->free_ips, 0};
  }
  if (!subnets.empty()) cache_.put(key, subnets);
  return subnets;
}

std::map<std::string, std::string> Subnets::choose(const std::vector<model::ResolvedSubnet>& subnets,
                                                   const std::map<std::string, int64_t>& ips) {
  const std::scoped_lock lock(mutex_);
  const auto left = [&](const std::string& id) {
    const auto it = counts_.find(id);
    return it == counts_.end() ? 0 : it->second.seen - it->second.in_flight;
  };
  std::map<std::string, std::string> chosen;
  for (const model::ResolvedSubnet& subnet : subnets) {
    const auto [it, fresh] = chosen.try_emplace(subnet.zone, subnet.id);
    if (!fresh && left(subnet.id) > left(it->second)) it->second = subnet.id;
  }
  for (const auto& [zone, id] : chosen) {
    const auto count = ips.find(zone);
    if (count != ips.end()) counts_[id].in_flight += count->second;
  }
  return chosen;
}

void Subnets::give_back(const std::map<std::string, std::string>& chosen, const std::map<std::string, int64_t>& ips,
                        const std::string& used_zone) {
  const std::scoped_lock lock(mutex_);
  for (const auto& [zone, id] : chosen) {
    const auto count = ips.find(zone);
    if (zone == used_zone || count == ips.end()) continue;
    int64_t& in_flight = counts_[id].in_flight;
    in_flight = std::max<int64_t>(0, in_flight - count->second);  // a refresh in between has reset it to zero
  }
}

void Subnets::mark_full(const std::string& subnet_id) {
  const std::scoped_lock lock(mutex_);
  counts_[subnet_id] = {};
}

int64_t Subnets::free_ips(const std::string& subnet_id) const {
  const std::scoped_lock lock(mutex_);
  const auto it = counts_.find(subnet_id);
  return it == counts_.end() ? 0 : it->second.seen - it->second.in_flight;
}

}  // namespace tenon::cloud
