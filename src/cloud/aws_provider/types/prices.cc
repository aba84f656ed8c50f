// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/types/prices.h"

#include "aws/endpoints.h"
#include "catalog/catalog.h"

namespace tenon::cloud {

std::optional<model::Price> PriceBook::on_demand_price(std::string_view type) const {
  const auto it = on_demand.find(type);
  return it != on_demand.end() ? it->second : catalog::list_price(partition, type);
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
      started_(services.runtime.now()) {
  PriceBook book;
  book.partition = aws::partition_name(options_.region);
  book_ = std::make_shared<const PriceBook>(std::move(book));
}

std::shared_ptr<const PriceBook> Prices::book() const {
  const std::scoped_lock lock(mutex_);
  return book_;
}

Prices::Ages Prices::ages() const {
  const Instant now = services_.runtime.now();
  const std::scoped_lock lock(mutex_);
  Ages ages;
  if (options_.ask_price_list) ages.on_demand = now - book_->on_demand_at.value_or(started_);
  ages.spot = now - book_->spot_at.value_or(started_);
  return ages;
}

void Prices::refresh(const std::stop_token& stop) {
  std::shared_ptr<const PriceBook> old;
  while (true) {
    const uint64_t seen = refreshed_->version();
    {
      const std::scoped_lock lock(mutex_);
      if (!refreshing_ && refreshed_once_ && services_.runtime.now() < next_) return;
      if (!refreshing_) {
        refreshing_ = true;
        old = book_;
        break;
      }
    }
    if (refreshed_->wait(seen, kNever, stop) == runtime::Wake::kStopped) return;
  }
  auto fresh = std::make_shared<const PriceBook>(load(*old, stop));
  {
    const std::scoped_lock lock(mutex_);
    // A failed request is repeated soon, even if older prices exist.
    const bool complete =
        fresh->spot_at != old->spot_at && (!options_.ask_price_list || fresh->on_demand_at != old->on_demand_at);
    book_ = std::move(fresh);
    refreshing_ = false;
    refreshed_once_ = true;
    next_ = services_.runtime.now() + (complete ? kPriceTtl : kPriceRetry);
  }
  refreshed_->notify();
}

std::shared_ptr<const PriceBook> Prices::known() const {
  const std::scoped_lock lock(mutex_);
  return refreshed_once_ ? book_ : nullptr;
}

PriceBook Prices::load(const PriceBook& old, const std::stop_token& stop) {
  PriceBook book = old;
  const Status on_demand = load_on_demand(book, stop), spot = load_spot(book, stop);
  if (options_.ask_price_list) log_refresh("on-demand", old.on_demand_at.has_value(), on_demand);
  log_refresh("spot", old.spot_at.has_value(), spot);
  const Instant now = services_.runtime.now();
  if (on_demand) book.on_demand_at = now;
  if (spot) book.spot_at = now;
  if (on_demand || spot) ++book.version;
  return book;
}

// Warns only about prices that were never loaded; MarketMetrics warns about stale prices.
void Prices::log_refresh(const std::string& source, bool known, const Status& refreshed) {
  if (known) return;
  if (refreshed) {
    if (substituted_.erase(source) > 0) options_.log.warn("the " + source + " prices are AWS's now");
  } else if (refreshed.error().code != Code::kCancelled && substituted_.insert(source).second) {
    // Every price list contains m5.large.
    const bool built_in = catalog::list_price(aws::partition_name(options_.region), "m5.large").has_value();
    const std::string meanwhile = source == "spot" ? "taken to be those on demand"
                                  : built_in       ? "the built-in ones"
                                                   : "not known, and nothing is launched on demand";
    options_.log.warn("the " + source + " prices are " + meanwhile +
                      ": AWS does not answer: " + refreshed.error().message);
  }
}

void Prices::warn_malformed(const std::string& source, size_t records, const std::string& first_problem) {
  if (records == 0) {
    malformed_.erase(source);
  } else if (malformed_.insert(source).second) {
    options_.log.warn(std::to_string(records) + " of the " + source +
                      " prices that AWS lists cannot be read and are left out; the first: " + first_problem);
  }
}

Status Prices::load_on_demand(PriceBook& book, const std::stop_token& stop) {
  if (!options_.ask_price_list) return fail(Code::kUnavailable, "the price list is not asked");
  const std::vector<aws::ProductFilter> common = {{"regionCode", options_.region}, {"serviceCode", "AmazonEC2"},
                                                  {"preInstalledSw", "NA"},        {"operatingSystem", "Linux"},
                                                  {"capacitystatus", "Used"},      {"marketoption", "OnDemand"}};
  const std::pair<std::string, std::string> kinds[] = {{"Shared", "Compute Instance"},
                                                       {"Dedicated", "Compute Instance (bare metal)"}};
  std::map<std::string, std::map<std::string, model::Price>> found;  // by currency and type
  size_t malformed = 0;
  std::string problem;
  for (const auto& [tenancy, family] : kinds) {
    auto filters = common;
    filters.push_back({"tenancy", tenancy});
    filters.push_back({"productFamily", family});
    // If one call fails, all old prices remain.
    const aws::PriceList list = TRY(services_.pricing.on_demand_prices(filters, stop));
    for (const aws::ListPrice& entry : list.prices) found[entry.currency][entry.instance_type] = entry.price;
    malformed += list.malformed;
    if (problem.empty()) problem = list.first_problem;
  }
  warn_malformed("on-demand", malformed, problem);
  for (const std::string_view currency : aws::currencies(options_.region)) {
    const auto priced = found.find(std::string(currency));
    if (priced == found.end()) continue;
    for (const auto& [type, price] : priced->second) book.on_demand[type] = price;
    return ok();  // prices in different currencies are never compared
  }
  return fail(Code::kUnavailable, "the price list is empty");
}

Status Prices::load_spot(PriceBook& book, const std::stop_token& stop) {
  const auto prices = TRY(services_.ec2.describe_spot_price_history(services_.runtime.now(), stop));
  size_t malformed = 0;
  std::string problem;
  for (const aws::SpotPrice& entry : prices) {
    const auto price = model::parse_price(entry.usd);
    if (price && *price > model::Price() && !entry.instance_type.empty() && !entry.zone.empty()) {
      book.spot[{entry.instance_type, entry.zone}] = *price;
    } else if (malformed++ == 0) {
      problem = entry.instance_type + " in " + entry.zone + ": \"" + entry.usd + "\" is not a price";
    }
  }
  warn_malformed("spot", malformed, problem);
  if (malformed == prices.size()) return fail(Code::kUnavailable, "the history of spot prices is empty");
  book.spot_known = true;
  return ok();
}

}  // namespace tenon::cloud
