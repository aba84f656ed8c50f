// One pass over the overlays, the heaviest first and equal weights by name, the last first. A place is an offering's
// price or a type's resource in one pool; for each place the pass stores the weight of the last overlay that named it:
//
//   place not seen yet             the overlay decides it
//   seen with a higher weight      the overlay leaves it as it is
//   seen with the same weight      conflict: the overlay is rejected before it changes any place
//
// Example: z (weight 10) and a (weight 10) both set the price of m5.large in zone a: z decides, a is rejected. b
// (weight 5) sets the price of all types: it decides those that z does not name.
//
// Cost: overlays × pools × types × offerings. Types are copied once for each pool that changes.
// SPDX-License-Identifier: Apache-2.0
#include "scheduling/input/overlay.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "model/generations.h"
#include "model/labels.h"
#include "scheduling/input/type_labels.h"

namespace tenon::scheduling {
namespace {

using model::NodeOverlay;

model::Requirements offering_requirements(const model::Offering& offering) {
  model::Requirements r;
  for (const std::string_view key : offering_keys()) {
    const auto value = offering_value(key, offering);
    if (!value->empty()) r.replace(model::Requirement::in(key, {std::string(*value)}));
  }
  return r;
}

// The labels that an overlay's requirements are compared with: those of the pool's template and of the type. The pool's
// own requirements do not count.
model::Requirements type_requirements(const model::NodePool& pool, const model::InstanceType& type) {
  model::Requirements r = model::Requirements::from_labels(pool.node_template.labels);
  const auto [key, name] = model::pool_label(pool.meta.name);
  r.replace(model::Requirement::in(key, {std::string(name)}));
  r.add(type.requirements());
  return r;
}

// A place that an overlay can decide: an offering's price, or a type's resource.
struct Place {
  size_t pool = 0, type = 0;
  int offering = -1;     // −1: a resource
  std::string resource;  // of the type
  friend auto operator<=>(const Place&, const Place&) = default;
};

std::vector<Place> places_of(const NodeOverlay& overlay, const model::Requirements& wanted,
                             const std::vector<PoolView>& pools) {
  std::vector<Place> places;
  const bool priced = !overlay.price.empty() || !overlay.price_adjustment.empty();
  for (size_t p = 0; p < pools.size(); ++p) {
    if (!pools[p].pool || !pools[p].types) continue;
    const auto& types = *pools[p].types;
    for (size_t t = 0; t < types.size(); ++t) {
      if (!type_requirements(*pools[p].pool, types[t]).compatible(wanted, false)) continue;
      bool some = false;
      for (size_t o = 0; o < types[t].offerings.size(); ++o) {
        if (!wanted.intersects(offering_requirements(types[t].offerings[o]))) continue;
        some = true;
        if (priced) places.push_back({p, t, static_cast<int>(o), {}});
      }
      for (const auto& [name, amount] : overlay.capacity.entries()) {
        if (some) places.push_back({p, t, -1, name});
      }
    }
  }
  return places;
}

class Application {
 public:
  explicit Application(std::vector<PoolView>& pools) : pools_(pools), changed_(pools.size()) {}

  // Returns false, and changes nothing, if another overlay of the same weight names one of the places.
  bool add(const NodeOverlay& overlay, const std::vector<Place>& places);
  void finish();

 private:
  std::vector<model::InstanceType>& types_of(size_t pool);

  std::vector<PoolView>& pools_;
  std::vector<std::shared_ptr<std::vector<model::InstanceType>>> changed_;
  std::map<Place, int> lightest_;  // weight of the last overlay that named it
};

std::vector<model::InstanceType>& Application::types_of(size_t pool) {
  auto& copy = changed_[pool];
  if (!copy) copy = std::make_shared<std::vector<model::InstanceType>>(*pools_[pool].types);
  return *copy;
}

bool Application::add(const NodeOverlay& overlay, const std::vector<Place>& places) {
  for (const Place& place : places) {
    const auto at = lightest_.find(place);
    if (at != lightest_.end() && at->second == overlay.weight) return false;
  }
  for (const Place& place : places) {
    const auto [at, first] = lightest_.try_emplace(place, overlay.weight);
    at->second = overlay.weight;
    if (!first) continue;  // a heavier one has decided it
    model::InstanceType& type = types_of(place.pool)[place.type];
    if (place.offering < 0) {
      type.capacity_overlaid = true;
      type.capacity.set(place.resource, overlay.capacity.get(place.resource));
    } else {
      model::Offering& offering = type.offerings[static_cast<size_t>(place.offering)];
      type.price_overlaid = true;
      offering.price = overlaid_price(overlay, offering.price);
      if (!overlay.price.empty() && std::exchange(offering.only_lacks_price, false)) offering.available = true;
    }
  }
  return true;
}

void Application::finish() {
  for (size_t p = 0; p < pools_.size(); ++p) {
    if (changed_[p]) pools_[p].types = std::move(changed_[p]);
  }
}

}  // namespace

std::map<std::string, std::string> apply_overlays(const std::vector<NodeOverlay>& overlays,
                                                  std::vector<PoolView>& pools) {
  std::map<std::string, std::string> refused;
  std::vector<const NodeOverlay*> ordered;
  for (const NodeOverlay& overlay : overlays) {
    if (const Status valid = model::validate(overlay); !valid) {
      refused[overlay.meta.name] = valid.error().message;
    } else if (!overlay.meta.deleting()) {
      ordered.push_back(&overlay);
    }
  }
  std::sort(ordered.begin(), ordered.end(), [](const NodeOverlay* a, const NodeOverlay* b) {
    return std::tie(a->weight, a->meta.name) > std::tie(b->weight, b->meta.name);
  });
  Application application(pools);
  for (const NodeOverlay* overlay : ordered) {
    const auto wanted = model::Requirements::make(overlay->requirements);
    CHECK(wanted, "the overlay is valid");
    if (!application.add(*overlay, places_of(*overlay, *wanted, pools))) refused[overlay->meta.name] = kOverlayConflict;
  }
  application.finish();
  return refused;
}

}  // namespace tenon::scheduling
