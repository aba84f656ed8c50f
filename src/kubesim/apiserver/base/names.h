// Checks of names and labels. Each check returns the error text, or std::nullopt for a valid name.
// parity: k8s.io/apimachinery/pkg/util/validation/validation.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tenon::kubesim::apiserver {

std::optional<std::string> check_dns_label(std::string_view name);      // RFC 1123
std::optional<std::string> check_dns1035_label(std::string_view name);  // Services: starts with a letter
std::optional<std::string> check_dns_subdomain(std::string_view name);
std::optional<std::string> check_path_segment(std::string_view name);
std::optional<std::string> check_qualified_name(std::string_view key);  // label keys, taint keys, finalizers
std::optional<std::string> check_label_value(std::string_view text);
std::optional<std::string> check_port_name(std::string_view name);  // IANA service name
std::optional<std::string> check_env_name(std::string_view name);

}  // namespace tenon::kubesim::apiserver
