// What the controller's options must be, beside what the command line itself refuses. Pure.
// parity: provider-aws pkg/operator/options/options_validation.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "cli/options.h"

namespace tenon::cli {

inline constexpr Duration kLeastRefresh = 1min;  // of what AWS is asked for again and again

// Errors: kInvalid, with the option's name.
Status check_options(const ControllerOptions& options);

// The CA that nodes trust, PEM in base64: as given, else that of our own connection; empty: EKS knows.
std::string nodes_ca(const ControllerOptions& options, const std::string& connection_ca_pem);
// Where the lease is: as given, else `system_namespace` (of the environment), else `pod_namespace`, else kube-system.
std::string lease_namespace(const ControllerOptions& options, const std::string& system_namespace,
                            const std::string& pod_namespace);

}  // namespace tenon::cli
