// Applies discounts and commitments to prices. One function, Bill::rest(), computes what a set of running instances
// costs beyond the commitments. The price of one more instance, or the savings of one fewer, is its difference.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

#include "base/text.h"
#include "catalog/price_file.h"
#include "model/labels.h"

namespace tenon::catalog {
namespace {

__extension__ using Wide = __int128;

std::string_view family_of(std::string_view type) { return type.substr(0, type.find('.')); }
std::string_view size_of(std::string_view type) { return cut(type, '.').second; }

bool fits(std::string_view wanted, std::string_view has) { return wanted.empty() || wanted == has; }

// AWS' normalization factors of Reserved Instances within a family, in quarters; 0: the size has none (metal).
int64_t quarters(std::string_view size) {
  static const std::map<std::string_view, int64_t> kNamed{{"nano", 1},   {"micro", 2},  {"small", 4},
                                                          {"medium", 8}, {"large", 16}, {"xlarge", 32}};
  if (const auto at = kNamed.find(size); at != kNamed.end()) return at->second;
  int64_t number = 0;
  const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), number);
  const bool plain = error == std::errc{} && std::string_view(end, size.data() + size.size()) == "xlarge";
  return plain ? number * 32 : 0;
}

// Instances of one type and zone, with their prices.
struct Group {
  std::string type, zone;
  model::Price list, price;  // on the price list; after multipliers
  int64_t count = 0;
};

class Bill {
 public:
  Bill(const PriceFile& file, std::string_view region, Instant now) {
    for (const Commitment& commitment : file.commitments) {
      const bool over = commitment.until && *commitment.until <= now;
      if (!over && fits(commitment.region, region)) commitments_.push_back(&commitment);
    }
    // Reserved Instances are used first.
    std::stable_sort(commitments_.begin(), commitments_.end(), [](const Commitment* a, const Commitment* b) {
      return a->reserved_instances > b->reserved_instances;
    });
  }

  // Returns how much of a commitment one instance uses, in the unit of the commitment: instances, quarters of a
  // normalized unit, or pico-dollars per hour. 0: the commitment does not cover it.
  static Wide draw(const Commitment& c, const Group& group) {
    if (!c.reserved_instances) {
      if (!fits(c.family, family_of(group.type))) return 0;
      return Wide{group.list.value()} * c.rate / kWhole;
    }
    if (!fits(c.zone, group.zone)) return 0;
    const int64_t mine = quarters(size_of(group.type)), theirs = quarters(size_of(c.instance_type));
    if (c.zone.empty() && mine > 0 && theirs > 0)
      return family_of(c.instance_type) == family_of(group.type) ? Wide{mine} : 0;
    return c.instance_type == group.type ? 1 : 0;
  }
  static Wide size_of_commitment(const Commitment& c) {
    if (!c.reserved_instances) return c.per_hour.value();
    const int64_t theirs = quarters(size_of(c.instance_type));
    return Wide{c.count} * (c.zone.empty() && theirs > 0 ? theirs : 1);
  }

  bool concerns(const Group& group) const {
    return std::any_of(commitments_.begin(), commitments_.end(),
                       [&](const Commitment* c) { return draw(*c, group) > 0; });
  }

  // Returns the pico-dollars per hour beyond the commitments. `groups`: by list price, the most expensive first;
  // `more`: number of instances of `extra` in addition, negative for fewer.
  Wide rest(const std::vector<Group>& groups, const Group& extra, int64_t more) const {
    std::vector<Wide> left;
    for (const Commitment* c : commitments_) left.push_back(size_of_commitment(*c));
    Wide sum = 0;
    bool done = more == 0;
    const auto take = [&](const Group& group, int64_t count) {
      Wide uncovered = Wide{count} * kWhole;
      for (size_t i = 0; i < left.size() && uncovered > 0; ++i) {
        const Wide one = draw(*commitments_[i], group);
        if (one == 0 || left[i] == 0) continue;
        const Wide covered = std::min(uncovered, left[i] * kWhole / one);
        uncovered -= covered;
        left[i] = std::max<Wide>(0, left[i] - (covered * one + kWhole - 1) / kWhole);
      }
      sum += uncovered * group.price.value() / kWhole;
    };
    for (const Group& group : groups) {
      if (!done && before(extra, group)) {
        take(extra, more);
        done = true;
      }
      const bool same = !done && group.type == extra.type && group.zone == extra.zone;
      take(group, group.count + (same ? more : 0));
      done |= same;
    }
    if (!done) take(extra, more);
    return sum;
  }

  static bool before(const Group& a, const Group& b) {
    if (a.list != b.list) return a.list > b.list;
    return std::tie(a.type, a.zone) < std::tie(b.type, b.zone);
  }

 private:
  std::vector<const Commitment*> commitments_;
};

// An offering within a commitment keeps this fraction of its price, as reserved capacity does: of two the smaller one
// is chosen.
constexpr int64_t kTrace = 10'000'000;

model::Price as_price(Wide pico) { return model::Price(static_cast<int64_t>(std::max<Wide>(0, pico))); }

struct Factor {
  int64_t factor = kWhole;
  bool steers = false;  // it applies to some types only, so the order of prices may change
};

Factor factor_for(const PriceFile& file, std::string_view region, const std::string& type,
                  const std::string& capacity_type) {
  Factor out;
  for (const PriceMultiplier& m : file.multipliers) {
    if (!fits(m.instance_type, type) || !fits(m.family, family_of(type)) || !fits(m.region, region) ||
        !fits(m.capacity_type, capacity_type))
      continue;
    out.factor = static_cast<int64_t>(Wide{out.factor} * m.factor / kWhole);
    out.steers |= !m.instance_type.empty() || !m.family.empty();
  }
  return out;
}

}  // namespace

void apply_price_file(const PriceFile& file, std::string_view region, const std::vector<RunningInstances>& running,
                      Instant now, std::vector<model::InstanceType>& types) {
  if (file.empty()) return;
  std::map<std::string_view, Group> by_type;  // with the on-demand prices
  for (model::InstanceType& type : types) {
    for (model::Offering& offering : type.offerings) {
      const Factor factor = factor_for(file, region, type.name, offering.capacity_type);
      const model::Price list = offering.price;
      offering.price = as_price(Wide{list.value()} * factor.factor / kWhole);
      type.price_overlaid |= factor.steers && offering.price != list;
      if (offering.capacity_type == model::kCapacityOnDemand)
        by_type[type.name] = {type.name, "", list, offering.price, 0};
    }
  }
  const Bill bill(file, region, now);
  std::vector<Group> groups;
  for (const RunningInstances& some : running) {
    const auto at = by_type.find(some.type);
    if (at == by_type.end()) continue;
    Group group = at->second;
    group.zone = some.zone;
    group.count = some.count;
    if (bill.concerns(group)) groups.push_back(std::move(group));
  }
  std::sort(groups.begin(), groups.end(), Bill::before);
  const Wide now_paid = bill.rest(groups, {}, 0);
  for (model::InstanceType& type : types) {
    for (model::Offering& offering : type.offerings) {
      if (offering.capacity_type != model::kCapacityOnDemand) continue;
      Group one = by_type.at(type.name);
      one.zone = offering.zone;
      if (!bill.concerns(one)) continue;
      const bool runs = std::any_of(groups.begin(), groups.end(), [&](const Group& group) {
        return group.type == one.type && group.zone == one.zone && group.count > 0;
      });
      const model::Price whole = offering.price;
      const model::Price more = as_price(bill.rest(groups, one, 1) - now_paid);
      offering.price = std::clamp(more, model::Price(whole.value() / kTrace), whole);
      offering.saved = runs ? std::min(whole, as_price(now_paid - bill.rest(groups, one, -1))) : whole;
      type.price_overlaid |= offering.price != whole;
    }
  }
}

}  // namespace tenon::catalog
