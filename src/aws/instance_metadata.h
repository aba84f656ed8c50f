// The metadata service (IMDS), version 2, of the EC2 instance that runs this process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string>
#include <string_view>

#include "aws/environment.h"
#include "http/transport.h"

namespace tenon::aws {

// A session: holds its token, which is valid for six hours. Thread rule: any thread.
class InstanceMetadata {
 public:
  // True unless AWS_EC2_METADATA_DISABLED is true.
  static bool is_enabled(const Environment& environment);
  // Connects to AWS_EC2_METADATA_SERVICE_ENDPOINT, otherwise to the link-local address: the IPv6 one if
  // AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE is IPv6. `transport` must use no proxy. Errors: as of get().
  static Result<InstanceMetadata> open(http::Transport& transport, const Environment& environment,
                                       const std::stop_token& stop);

  // Returns the text under /latest/meta-data/. Errors: kForbidden (status other than 200), the transport's.
  Result<std::string> get(const std::string& path, const std::stop_token& stop) const;

 private:
  explicit InstanceMetadata(http::Transport& transport) : transport_(&transport) {}
  http::Transport* transport_;
  std::string base_, token_;
};

// As find_region; if no region is set, the instance's region. Errors: those of find_region.
Result<std::string> discover_region(http::Transport& transport, const Environment& environment,
                                    const std::stop_token& stop);

// Returns the response body of a service on this host. Errors: kForbidden if the status is not 200, the transport's.
Result<std::string> fetch_local(http::Transport& transport, const std::string& source, http::Request request,
                                const std::stop_token& stop);

}  // namespace tenon::aws
