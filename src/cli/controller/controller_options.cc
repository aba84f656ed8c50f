// SPDX-License-Identifier: Apache-2.0
#include "cli/controller/controller_options.h"

#include "base/text.h"
#include "http/message.h"

namespace tenon::cli {

Status check_options(const ControllerOptions& options) {
  const bool kwok = options.cloud == "kwok";
  if (kwok && options.enable_zonal_shift) {
    return fail(Code::kInvalid, "enable-zonal-shift: --cloud kwok has no zones that could be shifted");
  }
  if (!kwok && !options.kwok_instance_types.empty()) {
    return fail(Code::kInvalid,
                "instance-types-file-path: AWS has its own instance types; only --cloud kwok reads them");
  }
  if (options.cluster_name.empty() && !kwok) {
    return fail(Code::kInvalid, "missing field, cluster-name: give --cluster-name or set CLUSTER_NAME");
  }
  if (!options.cluster_endpoint.empty()) {
    const auto url = http::parse_url(options.cluster_endpoint);
    if (!url || url->host.empty()) {
      return fail(Code::kInvalid, "cluster-endpoint: \"" + options.cluster_endpoint +
                                      "\" is not a valid cluster endpoint URL, such as https://example.com");
    }
  }
  if (options.vm_memory_overhead_percent < 0) {
    return fail(Code::kInvalid, "vm-memory-overhead-percent must not be negative");
  }
  if (options.reserved_enis < 0) return fail(Code::kInvalid, "reserved-enis must not be negative");
  for (const auto& [name, interval] : {std::pair("ami-refresh-interval", options.ami_refresh),
                                       std::pair("subnet-refresh-interval", options.subnet_refresh)}) {
    if (interval < kLeastRefresh) return fail(Code::kInvalid, std::string(name) + " must be at least 1m");
  }
  TRY(caps_of(options));
  return ok();
}

Result<state::Caps> caps_of(const ControllerOptions& options) {
  state::Caps caps;
  if (options.max_launches_per_minute < 0) {
    return fail(Code::kInvalid, "max-launches-per-minute: " + std::to_string(options.max_launches_per_minute) +
                                    " is not a number of launches; 0 means no limit");
  }
  if (options.max_launches_per_minute > 0) caps.launches_per_minute = options.max_launches_per_minute;
  const auto price = model::parse_price(options.max_hourly_price);
  if (!price) {
    return fail(Code::kInvalid, "max-hourly-price: \"" + options.max_hourly_price +
                                    "\" is not an amount of USD such as 12.5; 0 means no limit");
  }
  if (*price > model::Price()) caps.hourly_price = *price;
  return caps;
}

std::string nodes_ca(const ControllerOptions& options, const std::string& connection_ca_pem) {
  return options.cluster_ca_bundle.empty() ? base64_encode(connection_ca_pem) : options.cluster_ca_bundle;
}

std::string lease_namespace(const ControllerOptions& options, const std::string& system_namespace,
                            const std::string& pod_namespace) {
  for (const std::string* known : {&options.leader_namespace, &system_namespace, &pod_namespace}) {
    if (!known->empty()) return *known;
  }
  return "kube-system";
}

}  // namespace tenon::cli
