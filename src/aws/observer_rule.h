// The requests that an observer (`tenon controller --observe`) sends to AWS: the reads on which decisions depend, and
// those that obtain its credentials. The interruption queue is not among them, because a message that is received here
// does not reach the controller that runs beside. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "http/message.h"

namespace tenon::aws {

// The actions of the Query and JSON protocols that are admitted, sorted. Requests of the REST protocol are admitted by
// their method, GET (eks:DescribeCluster, arc-zonal-shift:GetManagedResource, sso:GetRoleCredentials), and sso-oidc's
// CreateToken, which renews a local log-in, by its path.
std::span<const std::string_view> observer_actions();

// Errors: kForbidden, with the action or with method and path. Fails closed: a request whose action is unknown is
// refused.
Status observer_may_send(const http::Request& request);

}  // namespace tenon::aws
