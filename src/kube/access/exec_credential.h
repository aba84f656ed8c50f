// The protocol of exec plugins: what one prints is an ExecCredential with a token, a client certificate, or both.
// parity: client.authentication.k8s.io/v1 and v1beta1, client-go plugin/pkg/client/auth/exec
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/instant.h"
#include "base/result.h"
#include "kube/access/kubeconfig.h"
#include "runtime/subprocess.h"

namespace tenon::kube {

inline constexpr std::string_view kExecV1 = "client.authentication.k8s.io/v1";
inline constexpr std::string_view kExecV1beta1 = "client.authentication.k8s.io/v1beta1";

struct ExecCredential {
  std::string token;                            // empty: none
  std::string client_cert_pem, client_key_pem;  // both or neither
  Instant expires = kNever;
};

// Pure. Errors: kForbidden, with the plugin; no message quotes the text.
Result<ExecCredential> parse_exec_credential(std::string_view text, const ExecPlugin& plugin);

// Has the signature of runtime::run_program(), which tests replace.
using RunProgram =
    std::function<Result<std::string>(const runtime::Program& program, Duration timeout, const std::stop_token& stop)>;

// Runs the plugin and reads what it prints. Thread rule: any thread; blocks it for kExecTimeout at most.
// Errors: kNotFound (there is no such program; with the install hint), kForbidden (it failed, or its output is
// invalid), kTimeout, kCancelled.
Result<ExecCredential> run_exec_plugin(const ExecPlugin& plugin, const RunProgram& run, const std::stop_token& stop);

}  // namespace tenon::kube
