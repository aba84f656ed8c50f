// Constraints on the controller's options that the command line does not check itself. Pure.
// parity: provider-aws pkg/operator/options/options_validation.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "cli/options/options.h"
#include "state/caps.h"

namespace tenon::cli {

inline constexpr Duration kLeastRefresh = 1min;  // of periodic requests to AWS

// Errors: kInvalid, with the option's name.
Status check_options(const ControllerOptions& options);

// Returns the caps on launches. Errors: kInvalid, with the option's name.
Result<state::Caps> caps_of(const ControllerOptions& options);

// Returns the CA that nodes trust, PEM in base64: as given, else that of our own connection; empty: read from EKS.
std::string nodes_ca(const ControllerOptions& options, const std::string& connection_ca_pem);
// Returns the lease's namespace: as given, else `system_namespace` (of the environment), else `pod_namespace`, else
// kube-system.
std::string lease_namespace(const ControllerOptions& options, const std::string& system_namespace,
                            const std::string& pod_namespace);

}  // namespace tenon::cli
