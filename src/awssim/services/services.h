// The services other than EC2. As in EC2, each action locks the world itself and changes nothing when it fails.
// The sources: iam.cc, json_services.cc (SSM, Pricing, EKS), zonal_shift.cc, queue.cc.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <stop_token>
#include <string>
#include <string_view>

#include "awssim/account/wire.h"
#include "awssim/account/world.h"
#include "base/instant.h"

namespace tenon::awssim {

// A time as the JSON services write it.
inline double epoch_seconds(Instant at) { return in_seconds(at - Instant()); }

// IAM (2010-05-08): writes the content of <ActionResult>.
Outcome<void> perform_iam(World& world, std::string_view action, const Params& params, Xml& out);

// JSON services: return the document of the answer. The code of an error goes into __type.
Outcome<boost::json::value> perform_ssm(World& world, std::string_view action, const boost::json::object& input);
Outcome<boost::json::value> perform_pricing(World& world, std::string_view action, const boost::json::object& input);
// EKS: GET /clusters/NAME.
Outcome<boost::json::value> perform_eks(World& world, std::string_view method, std::string_view path);

// ARC zonal shift: GET /managedresources/ARN, POST /zonalshifts, DELETE /zonalshifts/ID. Returns the name of the
// operation; empty if there is no such operation.
std::string zonal_shift_action(std::string_view method, std::string_view path);
Outcome<boost::json::value> perform_zonal_shift(World& world, std::string_view method, std::string_view path,
                                                const boost::json::object& input);

// One queue, named after the cluster. ReceiveMessage blocks for at most the request's WaitTimeSeconds.
class Queue {
 public:
  explicit Queue(World& world);
  ~Queue();
  Outcome<boost::json::value> perform(std::string_view action, const boost::json::object& input, std::string_view host,
                                      const std::stop_token& stop);

 private:
  struct State;
  World& world_;
  std::unique_ptr<State> state_;
};

}  // namespace tenon::awssim
