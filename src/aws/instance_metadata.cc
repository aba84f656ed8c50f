// SPDX-License-Identifier: Apache-2.0
#include "aws/instance_metadata.h"

#include "base/text.h"

namespace tenon::aws {
namespace {

constexpr Duration kLocalTimeout = 2s;  // it is on the same host: no response means no service
constexpr const char* kSource = "instance metadata service";
constexpr std::string_view kTokenTtl = "21600";

}  // namespace

Result<std::string> fetch_local(http::Transport& transport, const std::string& source, http::Request request,
                                const std::stop_token& stop) {
  request.timeout = kLocalTimeout;
  const http::Response response = TRY_IN(source, transport.send(request, stop));
  if (response.status != 200) {
    return fail(Code::kForbidden, source + ": HTTP " + std::to_string(response.status) + " from " + request.url);
  }
  return response.body;
}

bool InstanceMetadata::is_enabled(const Environment& environment) {
  return to_lower(environment("AWS_EC2_METADATA_DISABLED")) != "true";
}

Result<InstanceMetadata> InstanceMetadata::open(http::Transport& transport, const Environment& environment,
                                                const std::stop_token& stop) {
  InstanceMetadata session(transport);
  session.base_ = environment("AWS_EC2_METADATA_SERVICE_ENDPOINT");
  while (session.base_.ends_with('/')) session.base_.pop_back();
  const bool ipv6 = to_lower(environment("AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE")) == "ipv6";
  if (session.base_.empty()) session.base_ = ipv6 ? "http://[fd00:ec2::254]" : "http://169.254.169.254";
  http::Request ask;
  ask.method = "PUT";
  ask.url = session.base_ + "/latest/api/token";
  ask.headers.set("X-aws-ec2-metadata-token-ttl-seconds", std::string(kTokenTtl));
  session.token_ = TRY(fetch_local(transport, kSource, ask, stop));
  return session;
}

Result<std::string> InstanceMetadata::get(const std::string& path, const std::stop_token& stop) const {
  http::Request read;
  read.url = base_ + "/latest/meta-data/" + path;
  read.headers.set("X-aws-ec2-metadata-token", token_);
  return fetch_local(*transport_, kSource, read, stop);
}

Result<std::string> discover_region(http::Transport& transport, const Environment& environment,
                                    const std::stop_token& stop) {
  auto named = find_region(environment);
  if (named || named.error().code != Code::kNotFound || !InstanceMetadata::is_enabled(environment)) return named;
  const auto asked = [&]() -> Result<std::string> {
    const InstanceMetadata metadata = TRY(InstanceMetadata::open(transport, environment, stop));
    return metadata.get("placement/region", stop);
  }();
  const std::string region = asked ? std::string(trim(*asked)) : "";
  if (!region.empty()) return region;
  return fail(Code::kNotFound, named.error().message + (asked ? "" : "; " + asked.error().message));
}

}  // namespace tenon::aws
