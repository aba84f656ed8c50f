// The transport to an API server that a Connection describes: it proves the identity (bearer token, exec plugin, client
// certificate), asks for impersonation, and accepts compressed answers.
//
// Files (token, CA, client certificate) are read again every kTokenRefresh, because they rotate; unreadable or empty
// ones do no harm while an earlier content is there. An exec plugin runs before the first request, and in the
// background shortly before its credentials expire. Concurrent requests share one run, and one HTTP transport until CA
// or certificate change.
//
// A 401 makes it look for other credentials: it reads the files again, and runs the plugin unless its credentials are
// younger than kMinCredentialAge. If there are others, the 401 carries the header `Retry-After: 0`, and kube::Client
// sends the request again. (The transport itself does not: a fence between the two must be able to reject it.)
//
// Thread rule: any thread. No lock is held while a request or a plugin runs.
// Errors: those of the transport; kForbidden: there is no token; those of run_exec_plugin().
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "http/curl_transport.h"
#include "http/transport.h"
#include "kube/access/exec_credential.h"
#include "kube/access/kubeconfig.h"
#include "runtime/runtime.h"

namespace tenon::kube {

// Parts that tests replace.
struct AccessParts {
  std::function<std::unique_ptr<http::Transport>(http::TlsClientOptions)> make_transport = http::make_curl_transport;
  RunProgram run = runtime::run_program;
};

// Borrows the runtime.
std::unique_ptr<http::Transport> make_access_transport(runtime::Runtime& runtime, Connection connection,
                                                       AccessParts parts = {});

// Adds the headers Impersonate-*. Pure. parity: client-go transport/round_trippers.go
void add_impersonation(const Impersonation& who, http::Headers& headers);

}  // namespace tenon::kube
