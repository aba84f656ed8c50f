// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/resources/capacity_reservations.h"

#include <algorithm>

#include "base/text.h"
#include "cloud/aws_provider/resources/amis.h"

namespace tenon::cloud {
namespace {

constexpr std::string_view kBlock = "capacity-block";

aws::Filters filters_of(const model::ReservationTerm& term) {
  aws::Filters filters = tag_filters(term.tags);
  filters.push_back({"state", {"active"}});
  if (!term.owner.empty()) filters.push_back({"owner-id", {term.owner}});
  if (!term.match_criteria.empty()) filters.push_back({"instance-match-criteria", {term.match_criteria}});
  return filters;
}

std::string key_of(const aws::Filters& filters) {
  std::string key;
  for (const aws::Filter& filter : filters) key += filter.name + "=" + join(filter.values, ",") + "\n";
  return key;
}

model::ResolvedReservation resolved(const aws::CapacityReservation& r, Instant now) {
  model::ResolvedReservation out{r.id, r.zone, r.instance_type, r.owner, r.match_criteria};
  out.type = r.type;
  out.interruptible = r.interruptible;
  out.ends_at = r.ends_at;
  if (r.type == kBlock && r.ends_at && now >= *r.ends_at - kBlockExpires) out.state = "expiring";
  return out;
}

}  // namespace

Result<CapacityReservations::Listed> CapacityReservations::ask(const std::string& key,
                                                               const std::vector<std::string>& ids,
                                                               const aws::Filters& filters,
                                                               const std::stop_token& stop) {
  if (auto known = queries_.find(key)) return std::move(*known);
  const Instant asked = runtime_.now();
  Listed listed;
  auto answer = ec2_.describe_capacity_reservations(ids, filters, stop);
  if (answer) {
    listed = std::move(*answer);
  } else if (answer.error().code != Code::kNotFound || ids.size() < 2) {
    if (answer.error().code != Code::kNotFound) return fail(std::move(answer).error());
  } else {  // EC2 rejects the whole list if one id is unknown
    for (const std::string& id : ids) {
      for (auto& one : TRY(ask("id " + id, {id}, {}, stop))) listed.push_back(std::move(one));
    }
  }
  {
    const std::scoped_lock lock(mutex_);
    for (const aws::CapacityReservation& r : listed) {
      Count& count = counts_[r.id];
      count.listed = r.available;
      // The answer may or may not reflect changes during the request. Launches since `asked` are subtracted and
      // terminations are not added, so the count may be too low but not too high.
      count.taken.erase(count.taken.begin(), count.taken.lower_bound(asked));
      count.freed.clear();
    }
  }
  queries_.put(key, listed);
  return listed;
}

Result<std::vector<model::ResolvedReservation>> CapacityReservations::resolve(const model::NodeClass& node_class,
                                                                              const std::stop_token& stop) {
  std::map<std::string, aws::CapacityReservation> found;
  const auto take = [&](Listed listed) {
    for (aws::CapacityReservation& r : listed) found[r.id] = std::move(r);
  };
  std::vector<std::string> ids;
  for (const model::ReservationTerm& term : node_class.reservation_selector_terms) {
    if (!term.id.empty()) {
      ids.push_back(term.id);
    } else {
      const aws::Filters filters = filters_of(term);
      take(TRY(ask(key_of(filters), {}, filters, stop)));
    }
  }
  if (!ids.empty()) take(TRY(ask("ids " + join(ids, ","), ids, {}, stop)));
  const Instant now = runtime_.now();
  std::vector<model::ResolvedReservation> out;
  for (const auto& [id, r] : found) {
    const bool ended = r.ends_at && now >= *r.ends_at;
    if (r.state == "active" && !ended) out.push_back(resolved(r, now));
  }
  return out;
}

int64_t CapacityReservations::left_of(const Count& count) const {
  const auto size = [](const auto& set) { return static_cast<int64_t>(set.size()); };
  return std::max<int64_t>(0, count.listed - count.held - size(count.taken) + size(count.freed));
}

int64_t CapacityReservations::left(const std::string& id) const {
  const std::scoped_lock lock(mutex_);
  const auto it = counts_.find(id);
  return it == counts_.end() ? 0 : left_of(it->second);
}

bool CapacityReservations::hold(const std::string& id) {
  const std::scoped_lock lock(mutex_);
  const auto it = counts_.find(id);
  if (it == counts_.end() || left_of(it->second) == 0) return false;
  ++it->second.held;
  return true;
}

void CapacityReservations::took(const std::string& id) {
  const Instant now = runtime_.now();
  const std::scoped_lock lock(mutex_);
  Count& count = counts_[id];
  count.held = std::max<int64_t>(0, count.held - 1);
  count.taken.insert(now);
}

void CapacityReservations::release(const std::string& id) {
  const std::scoped_lock lock(mutex_);
  Count& count = counts_[id];
  count.held = std::max<int64_t>(0, count.held - 1);
}

void CapacityReservations::exhausted(const std::string& id) {
  const std::scoped_lock lock(mutex_);
  Count& count = counts_[id];
  count.listed = 0;
  count.taken.clear();
  count.freed.clear();
}

void CapacityReservations::leaving(const std::string& instance_id, const std::string& id) {
  const std::scoped_lock lock(mutex_);
  leaving_[instance_id] = id;
}

void CapacityReservations::gone(const std::string& instance_id) {
  const Instant now = runtime_.now();
  const std::scoped_lock lock(mutex_);
  const auto it = leaving_.find(instance_id);
  if (it == leaving_.end()) return;
  counts_[it->second].freed.insert(now);
  leaving_.erase(it);
}

}  // namespace tenon::cloud
