// Where pods of this cluster ask for names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string>

#include "kube/client.h"

namespace tenon::kube {

// The address of the Service kube-system/kube-dns: IPv4, or IPv6 where the cluster is IPv6. Errors: kNotFound (there is
// no such Service, or it has no address), and those of Client::get.
Result<std::string> find_cluster_dns(Client& client, const std::stop_token& stop);

}  // namespace tenon::kube
