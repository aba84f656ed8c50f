// Finds the address of the cluster's DNS service.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string>

#include "kube/client.h"

namespace tenon::kube {

// Returns the address of the Service kube-system/kube-dns: IPv4, or IPv6 in an IPv6 cluster. Errors: kNotFound (the
// Service is missing or has no address), and those of Client::get.
Result<std::string> find_cluster_dns(Client& client, const std::stop_token& stop);

}  // namespace tenon::kube
