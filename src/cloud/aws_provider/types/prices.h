// Instance prices: on-demand from the Pricing API, spot from EC2's price history, the built-in list of the region's
// partition before AWS has answered. Prices of another partition are never used.
// parity: provider-aws pkg/providers/pricing/pricing.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
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
#include "log/log.h"
#include "model/price.h"
#include "runtime/runtime.h"

namespace tenon::cloud {

inline constexpr Duration kPriceTtl = 12h;
inline constexpr Duration kPriceRetry = 5min;  // after a failed refresh
inline constexpr Duration kPricesStale = 24h;  // two refreshes failed

// Prices are in one currency, the partition's.
struct PriceBook {
  std::string partition = "aws";  // its built-in list supplies what on_demand lacks
  std::map<std::string, model::Price, std::less<>> on_demand;
  std::map<std::pair<std::string, std::string>, model::Price> spot;  // by type and zone
  bool spot_known = false;                                           // false: spot has the on-demand price
  uint64_t version = 0;                                              // of the content
  std::optional<Instant> on_demand_at, spot_at;                      // the last successful refresh

  // Returns AWS's price, else that of the built-in list; std::nullopt if neither has one.
  std::optional<model::Price> on_demand_price(std::string_view type) const;
  // Returns std::nullopt if the type is not offered as spot in that zone.
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
    bool ask_price_list = true;  // false in isolated VPCs and in GovCloud, where the list is unreachable
    // Warns once when decisions use prices other than AWS's, and once when they no longer do.
    tenon::log::Logger log = {};
  };
  Prices(Services services, Options options);

  // Returns the prices of the last refresh, or the built-in ones before it. Never blocks, never null.
  std::shared_ptr<const PriceBook> book() const;
  // Does the same, but returns null before the end of the first refresh. Never blocks.
  std::shared_ptr<const PriceBook> known() const;
  // Requests prices from AWS if they have expired, and blocks. One caller sends the requests, the others wait for it.
  // Never fails: after an error the last prices remain, and the next refresh is due after kPriceRetry.
  void refresh(const std::stop_token& stop);

  // The time since AWS's last answer (or since the start); std::nullopt if the source is not used.
  struct Ages {
    std::optional<Duration> on_demand, spot;
  };
  Ages ages() const;

 private:
  PriceBook load(const PriceBook& old, const std::stop_token& stop);
  Status load_on_demand(PriceBook& book, const std::stop_token& stop);
  Status load_spot(PriceBook& book, const std::stop_token& stop);
  void log_refresh(const std::string& source, bool known, const Status& refreshed);
  void warn_malformed(const std::string& source, size_t records, const std::string& first_problem);

  const Services services_;
  const Options options_;
  const std::unique_ptr<runtime::Event> refreshed_;
  const Instant started_;
  mutable std::mutex mutex_;
  std::shared_ptr<const PriceBook> book_;
  Instant next_{};
  bool refreshing_ = false, refreshed_once_ = false;
  // Used only by the thread that refreshes:
  std::set<std::string> substituted_;  // sources that AWS has never answered for
  std::set<std::string> malformed_;    // sources whose last answer had malformed records
};

}  // namespace tenon::cloud
