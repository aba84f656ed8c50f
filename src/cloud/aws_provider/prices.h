// What instances cost: the embedded list until the Pricing API has answered, spot from its history.
// parity: provider-aws pkg/providers/pricing/pricing.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>

#include "aws/ec2.h"
#include "aws/pricing.h"
#include "cloud/aws_provider/refreshed.h"
#include "model/price.h"

namespace tenon::cloud {

inline constexpr Duration kPriceTtl = 12h;
inline constexpr Duration kPriceRetry = 5min;  // after a refresh that failed
inline constexpr Duration kPricesStale = 24h;  // two refreshes were missed

struct PriceBook {
  std::map<std::string, model::Price, std::less<>> on_demand;
  std::map<std::pair<std::string, std::string>, model::Price> spot;  // by type and zone
  bool spot_known = false;                                           // false: spot counts as dear as on-demand
  uint64_t version = 0;                                              // of the content
  std::optional<Instant> on_demand_at, spot_at;                      // the last refresh that AWS answered

  std::optional<model::Price> on_demand_price(
      std::string_view type) const;  // the embedded list, if it is not in the book
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

  // Never fails: when AWS does not answer, the old book or the embedded list stands, and it is asked again later.
  std::shared_ptr<const PriceBook> book(const std::stop_token& stop);
  // Without asking; null: nobody has asked yet. Never blocks.
  std::shared_ptr<const PriceBook> known() const;

  // Since AWS last told them (or since the start); nothing: it is not asked.
  struct Ages {
    std::optional<Duration> on_demand, spot;
  };
  Ages ages() const;

 private:
  PriceBook refresh(const PriceBook& old, const std::stop_token& stop);
  Status refresh_on_demand(PriceBook& book, const std::stop_token& stop);
  Status refresh_spot(PriceBook& book, const std::stop_token& stop);
  void tell(const std::string& source, bool known, const Status& refreshed);

  const Services services_;
  const Options options_;
  const std::unique_ptr<runtime::Event> refreshed_;
  const Instant started_;
  mutable std::mutex mutex_;
  std::shared_ptr<const PriceBook> book_ = std::make_shared<const PriceBook>();
  Instant next_{};
  bool refreshing_ = false, refreshed_once_ = false;
  std::set<std::string> substituted_;  // sources that AWS has never told; of the thread that refreshes
};

}  // namespace tenon::cloud
