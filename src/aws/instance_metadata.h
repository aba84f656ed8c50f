// The metadata service of the EC2 instance that we run on (IMDS), version 2.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string>
#include <string_view>

#include "aws/environment.h"
#include "http/transport.h"

namespace tenon::aws {

// A session with it: holds the token that it asked for, good for six hours. Thread rule: any thread.
class InstanceMetadata {
 public:
  // Unless AWS_EC2_METADATA_DISABLED is true.
  static bool is_enabled(const Environment& environment);
  // At AWS_EC2_METADATA_SERVICE_ENDPOINT, else at the link-local address, that of IPv6 if
  // AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE is IPv6. `transport` must use no proxy. Errors: as of get().
  static Result<InstanceMetadata> open(http::Transport& transport, const Environment& environment,
                                       const std::stop_token& stop);

  // What is under /latest/meta-data/, as text. Errors: kForbidden (it refuses, or has no such thing), the transport's.
  Result<std::string> get(const std::string& path, const std::stop_token& stop) const;

 private:
  explicit InstanceMetadata(http::Transport& transport) : transport_(&transport) {}
  http::Transport* transport_;
  std::string base_, token_;
};

// find_region, and where nothing names one that of the instance. Errors: those of find_region.
Result<std::string> discover_region(http::Transport& transport, const Environment& environment,
                                    const std::stop_token& stop);

// The body of an answer of a service on this host. Errors: kForbidden if the status is not 200, the transport's.
Result<std::string> fetch_local(http::Transport& transport, const std::string& source, http::Request request,
                                const std::stop_token& stop);

}  // namespace tenon::aws
