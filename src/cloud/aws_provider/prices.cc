// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/prices.h"

#include "catalog/catalog.h"

namespace tenon::cloud {

std::optional<model::Price> PriceBook::on_demand_price(std::string_view type) const {
  const auto it = on_demand.find(type);
  if (it != on_demand.end()) return it->second;
  const catalog::InstanceFacts* facts = catalog::find_instance_type(type);
  return facts == nullptr ? std::nullopt : facts->on_demand;
}

std::optional<model::Price> PriceBook::spot_price(const std::string& type, const std::string& zone) const {
  if (!spot_known) return on_demand_price(type);
  const auto it = spot.find({type, zone});
  return it == spot.end() ? std::nullopt : std::optional(it->second);
}

Prices::Prices(Services services, Options options)
    : services_(services),
      options_(std::move(options)),
      refreshed_(services.runtime.make_event()),
      started_(services.runtime.now()) {}

Prices::Ages Prices::ages() const {
  const Instant now = services_.runtime.now();
  const std::scoped_lock lock(mutex_);
  Ages ages;
  if (options_.ask_price_list) ages.on_demand = now - book_->on_demand_at.value_or(started_);
  ages.spot = now - book_->spot_at.value_or(started_);
  return ages;
}

std::shared_ptr<const PriceBook> Prices::book(const std::stop_token& stop) {
  std::shared_ptr<const PriceBook> old;
  while (true) {
    const uint64_t seen = refreshed_->version();
    {
      const std::scoped_lock lock(mutex_);
      if (refreshed_once_ && (refreshing_ || services_.runtime.now() < next_)) return book_;
      if (!refreshing_) {
        refreshing_ = true;
        old = book_;
        break;
      }
      old = book_;
    }
    if (refreshed_->wait(seen, kNever, stop) == runtime::Wake::kStopped) return old;
  }
  auto fresh = std::make_shared<const PriceBook>(refresh(*old, stop));
  {
    const std::scoped_lock lock(mutex_);
    // What failed is asked for again soon, however much was known before.
    const bool complete =
        fresh->spot_at != old->spot_at && (!options_.ask_price_list || fresh->on_demand_at != old->on_demand_at);
    book_ = fresh;
    refreshing_ = false;
    refreshed_once_ = true;
    next_ = services_.runtime.now() + (complete ? kPriceTtl : kPriceRetry);
  }
  refreshed_->notify();
  return fresh;
}

std::shared_ptr<const PriceBook> Prices::known() const {
  const std::scoped_lock lock(mutex_);
  return refreshed_once_ ? book_ : nullptr;
}

PriceBook Prices::refresh(const PriceBook& old, const std::stop_token& stop) {
  PriceBook book = old;
  const Status on_demand = refresh_on_demand(book, stop), spot = refresh_spot(book, stop);
  if (options_.ask_price_list) tell("on-demand", old.on_demand_at.has_value(), on_demand);
  tell("spot", old.spot_at.has_value(), spot);
  const Instant now = services_.runtime.now();
  if (on_demand) book.on_demand_at = now;
  if (spot) book.spot_at = now;
  if (on_demand || spot) ++book.version;
  return book;
}

// That prices which were known have become old is told by their age.
void Prices::tell(const std::string& source, bool known, const Status& refreshed) {
  if (!options_.warn || known) return;
  if (refreshed) {
    if (substituted_.erase(source) > 0) options_.warn("the " + source + " prices are AWS's now");
  } else if (refreshed.error().code != Code::kCancelled && substituted_.insert(source).second) {
    const std::string_view meanwhile = source == "spot" ? "taken to be those on demand" : "the built-in ones";
    options_.warn("the " + source + " prices are " + std::string(meanwhile) +
                  ": AWS does not answer: " + refreshed.error().message);
  }
}

Status Prices::refresh_on_demand(PriceBook& book, const std::stop_token& stop) {
  if (!options_.ask_price_list) return fail(Code::kUnavailable, "the price list is not asked");
  const std::vector<aws::ProductFilter> common = {{"regionCode", options_.region}, {"serviceCode", "AmazonEC2"},
                                                  {"preInstalledSw", "NA"},        {"operatingSystem", "Linux"},
                                                  {"capacitystatus", "Used"},      {"marketoption", "OnDemand"}};
  const std::pair<std::string, std::string> kinds[] = {{"Shared", "Compute Instance"},
                                                       {"Dedicated", "Compute Instance (bare metal)"}};
  std::map<std::string, model::Price, std::less<>> found;
  for (const auto& [tenancy, family] : kinds) {
    auto filters = common;
    filters.push_back({"tenancy", tenancy});
    filters.push_back({"productFamily", family});
    // If one fails the old ones stand, all of them.
    for (const aws::ListPrice& entry : TRY(services_.pricing.on_demand_prices(filters, stop))) {
      const auto price = model::parse_price(entry.usd);
      if (price) found[entry.instance_type] = *price;
    }
  }
  for (const auto& [type, price] : found) book.on_demand[type] = price;
  return found.empty() ? fail(Code::kUnavailable, "the price list is empty") : ok();
}

Status Prices::refresh_spot(PriceBook& book, const std::stop_token& stop) {
  const auto prices = TRY(services_.ec2.describe_spot_price_history(services_.runtime.now(), stop));
  if (prices.empty()) return fail(Code::kUnavailable, "the history of spot prices is empty");
  for (const aws::SpotPrice& entry : prices) {
    const auto price = model::parse_price(entry.usd);
    if (price) book.spot[{entry.instance_type, entry.zone}] = *price;
  }
  book.spot_known = true;
  return ok();
}

}  // namespace tenon::cloud
