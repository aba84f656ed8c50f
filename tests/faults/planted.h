// Faults of the controllers that a check must detect. Each is planted by a decorator around one part of a simulated
// process: the answers of the API server (read_rewriter.h), the executor of plans (faulty_executor.h), or the requests
// to AWS. The controllers themselves have no fault switches.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/demo/world.h"

namespace tenon::faults {

struct Planted {
  // Faults in what is read.
  bool ignore_budgets = false;
  bool ignore_limits = false;
  bool ignore_do_not_disrupt = false;  // on pods
  bool forget_daemon_sets = false;
  bool forget_spreads = false;  // topology spreads of pods that run
  // Faults in plans.
  bool skip_drain = false;
  bool skip_waiting = false;    // nodes are removed before their replacements are initialized
  bool ignore_notices = false;  // of the cloud, about instances
  // Faults in the use of AWS.
  bool omit_tags = false;
  bool skip_collection = false;  // of instances without a NodeClaim and of claims without an instance
  bool invert_prices = false;    // high prices for low ones and conversely
  std::string swap_price_of;     // an instance type that is listed at ten times its price
  // Faults in the settings.
  bool forget_mistakes = false;  // moves that went wrong are repeated
};

// Returns the fault of that name: "ignore-budgets", "swap-price=m5.large"; empty: none. Errors: kInvalid, with the list
// of names.
Result<Planted> parse(const std::string& name);

// Decorates the world's parts; wires that `options` has already stay, beyond those of the fault.
void plant(const Planted& planted, cli::SimWorld::Options& options);

}  // namespace tenon::faults
