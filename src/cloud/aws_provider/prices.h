// What instances cost: on demand by the Pricing API, spot by EC2's history; before AWS has answered the built-in list
// of the region's partition. Prices of another partition never stand in.
// parity: provider-aws pkg/providers/pricing/pricing.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>

#include "aws/ec2.h"
#include "aws/pricing.h"
#include "model/price.h"
#include "runtime/runtime.h"

namespace tenon::cloud {

inline constexpr Duration kPriceTtl = 12h;
inline constexpr Duration kPriceRetry = 5min;  // after a refresh that failed
inline constexpr Duration kPricesStale = 24h;  // two refreshes were missed

// Prices are in one currency, the partition's.
struct PriceBook {
  std::string partition = "aws";  // whose built-in list counts for what on_demand lacks
  std::map<std::string, model::Price, std::less<>> on_demand;
  std::map<std::pair<std::string, std::string>, model::Price> spot;  // by type and zone
  bool spot_known = false;                                           // false: spot counts as dear as on-demand
  uint64_t version = 0;                                              // of the content
  std::optional<Instant> on_demand_at, spot_at;                      // the last refresh that AWS answered

  // As AWS answered, else of the built-in list. Nothing: it is not known.
  std::optional<model::Price> on_demand_price(std::string_view type) const;
  // Nothing: not for sale as spot in that zone.
  std::optional<model::Price> spot_price(const std::string& type, const std::string& zone) const;
};

// Thread rule: any thread.
class Prices {
 public:
  struct Services {
    aws::Ec2& ec2;
    aws::Pricing& pricing;
    runtime::Runtime& runtime;
  };
  struct Options {
    std::string region;
    bool ask_price_list = true;  // not in isolated VPCs nor GovCloud, where it does not answer
    // Told once that decisions go by other prices than AWS's, and once when they no longer do; may be empty.
    std::function<void(const std::string& line)> warn = {};
  };
  Prices(Services services, Options options);

  // The prices of the last refresh, before it the built-in ones. Never blocks, never null.
  std::shared_ptr<const PriceBook> book() const;
  // The same; null: no refresh has ended yet. Never blocks.
  std::shared_ptr<const PriceBook> known() const;
  // Asks AWS if it is due, and blocks. One caller asks, the others wait for it. Never fails: while AWS does not answer,
  // the last prices stand, and it is asked again after kPriceRetry.
  void refresh(const std::stop_token& stop);

  // Since AWS last told them (or since the start); nothing: it is not asked.
  struct Ages {
    std::optional<Duration> on_demand, spot;
  };
  Ages ages() const;

 private:
  PriceBook load(const PriceBook& old, const std::stop_token& stop);
  Status load_on_demand(PriceBook& book, const std::stop_token& stop);
  Status load_spot(PriceBook& book, const std::stop_token& stop);
  void tell(const std::string& source, bool known, const Status& refreshed);
  void tell_malformed(const std::string& source, size_t records, const std::string& first_problem);

  const Services services_;
  const Options options_;
  const std::unique_ptr<runtime::Event> refreshed_;
  const Instant started_;
  mutable std::mutex mutex_;
  std::shared_ptr<const PriceBook> book_;
  Instant next_{};
  bool refreshing_ = false, refreshed_once_ = false;
  // Of the thread that refreshes:
  std::set<std::string> substituted_;  // sources that AWS has never told
  std::set<std::string> malformed_;    // sources whose last answer held records that cannot be read
};

}  // namespace tenon::cloud
