// A lower bound with a proof. A linear programme over node fillings, grown column by column, gives each kind of pod a
// value; then, in integers and without trusting the programme, every kind of node is searched for the filling of most
// value, and the values are scaled until no node is worth more than it costs. What all pods are then worth together is
// what any plan pays at least. So any values at all give a true bound; good values give a close one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduling/relaxation.h"

namespace tenon::scheduling {

// Returns the bound that these values (pico-USD per hour, by demand, at least 0) prove, or `known` if that is higher.
Bound proven_bound(const Relaxation& relaxation, const std::vector<int64_t>& values, model::Price known = {});

// `plan`: the price of a plan. If simple values prove nearly as much, no programme looks for better ones.
Bound lower_bound(const Relaxation& relaxation, model::Price plan = model::Price(INT64_MAX));

}  // namespace tenon::scheduling
