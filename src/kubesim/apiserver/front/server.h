// The minicluster's API server: the Kubernetes API over HTTP (http::Handler, for kubectl and for the controller under
// test) and in process (Api, for the simulated components), on one store.
//
//   auto server = make_api_server(runtime, {.tokens = {{"secret", "admin"}}});
//   auto listening = TRY(http::start_server(*server, {.tls = …}));
//   server->create(kPods, "default", pod);
//
// The server starts one actor of the runtime, the Collector (collector.h), which ends with the server.
// Thread rule: any thread. Watches block, and so do requests while a webhook answers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "http/handler.h"
#include "kubesim/api.h"
#include "kubesim/apiserver/webhooks/caller.h"
#include "kubesim/store/store.h"

namespace tenon::kubesim {

struct ApiServerOptions {
  struct Token {
    std::string token, user;
    std::vector<std::string> groups = {"system:masters"};
  };
  std::vector<Token> tokens = {};  // empty: no authentication
  std::string git_version = "v1.34.4";
  std::string ca_pem = {};  // published as the config map kube-root-ca.crt of every namespace, if not empty
  StoreOptions store = {};
  // Reaches conversion and admission webhooks; empty: a call of one fails.
  apiserver::WebhookTransport webhooks = {};
};

class ApiServer : public http::Handler, public Api {
 public:
  // Discards the log of changes, as etcd's compaction does: watches from an old resourceVersion get 410.
  virtual void compact() = 0;
};

std::unique_ptr<ApiServer> make_api_server(runtime::Runtime& runtime, ApiServerOptions options = {});

}  // namespace tenon::kubesim
