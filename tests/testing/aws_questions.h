// What IAM asks about the requests of the controllers: actions, resources and condition keys as AWS's Service
// Authorization Reference lists them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "http/transport.h"
#include "testing/iam_policy.h"

namespace tenon::testing {

// What was created on the wire, with its tags: they are the resource tags of later requests. One for each account; it
// outlives the transports, which a restarted controller makes anew.
struct AwsMemory;
std::shared_ptr<AwsMemory> make_aws_memory();

// Calls `ask` with each question of each request, before the request passes through `inner`, on the caller's thread.
// Thread rule: one thread.
std::unique_ptr<http::Transport> ask_iam(std::unique_ptr<http::Transport> inner, std::shared_ptr<AwsMemory> memory,
                                         std::function<void(const IamQuestion&)> ask);

}  // namespace tenon::testing
