// SPDX-License-Identifier: Apache-2.0
#include "cli/controller/controller_options.h"

#include "base/text.h"
#include "http/message.h"

namespace tenon::cli {

Status check_options(const ControllerOptions& options) {
  if (options.cluster_name.empty()) {
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
  return ok();
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
