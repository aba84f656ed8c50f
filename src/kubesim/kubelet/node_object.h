// The Node that a kubelet registers, as JSON. Pure functions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>

#include "awssim/fake_aws.h"
#include "base/result.h"
#include "kubesim/kubelet/options.h"
#include "kubesim/kubelet/user_data.h"

namespace tenon::kubesim {

// Returns an EKS node that is not Ready yet. Capacity comes from the catalog's facts about the instance type and from
// the user data. Errors: kInvalid (unknown type, invalid reservation).
Result<boost::json::value> make_node(const awssim::FakeInstance& instance, const BootConfig& boot,
                                     const KubeletOptions& options, Instant now);
// Sets the missing fields of a kwok node: capacity, addresses, nodeInfo.
void complete_kwok_node(boost::json::value& node, const std::string& ip);
// Sets the conditions of a kubelet. Returns true if anything changed.
bool set_node_conditions(boost::json::value& node, bool ready, Instant now);
boost::json::value make_lease(const boost::json::value& node, Instant now);

}  // namespace tenon::kubesim
