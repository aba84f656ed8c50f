// The keys of --set that more than one part of the cloud side has.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/install/settings.h"

namespace tenon::cli::install {

// IAM allows 64 characters in a name of a role. Names of clusters have up to 100, so a long one needs its own role
// name.
inline constexpr std::string_view kRolePattern = "[A-Za-z0-9+=,.@_-]{1,64}";
inline constexpr std::string_view kRoleWords =
    "1 to 64 letters, digits and +=,.@_-, as IAM allows; set it to a shorter name";
inline constexpr std::string_view kDnsPattern = "[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?";
inline constexpr std::string_view kDnsWords = "lower-case letters, digits, - and .";

inline constexpr Key kClusterName = {"clusterName", "name of the EKS cluster", "", "[A-Za-z0-9][A-Za-z0-9_-]{0,99}",
                                     "1 to 100 letters, digits, - and _, as EKS allows"};
inline constexpr Key kNamespace = {"namespace", "namespace of the controller", "karpenter", kDnsPattern, kDnsWords};
inline constexpr Key kServiceAccount = {"serviceAccount", "service account of the controller", "karpenter", kDnsPattern,
                                        kDnsWords};
inline constexpr Key kOidcProvider = {
    "oidcProvider", "OIDC provider of the cluster without https://, for IRSA; empty: Pod Identity", "",
    "([a-z0-9-]+(\\.[a-z0-9-]+)+(/[A-Za-z0-9_.-]+)*)?", "a host and a path without https://"};
inline constexpr Key kQueueName = {"queueName", "name of the interruption queue", "${clusterName}",
                                   "[A-Za-z0-9_-]{1,80}", "1 to 80 letters, digits, - and _, as SQS allows"};
inline constexpr Key kNodeRole = {"nodeRole", "name of the role of nodes", "KarpenterNodeRole-${clusterName}",
                                  kRolePattern, kRoleWords};

}  // namespace tenon::cli::install
