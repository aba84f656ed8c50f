// Sends reviews to webhooks: to the URL of a clientConfig, or to a pod behind its Service. A pod that is not ready
// receives requests only if the Service publishes addresses that are not ready.
// Thread rule: any thread; call() blocks until the answer or the timeout.
// parity: k8s.io/apiserver/pkg/util/webhook, k8s.io/apiserver/pkg/util/proxy (ResolveCluster)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/result.h"
#include "http/transport.h"
#include "kubesim/store/store.h"

namespace tenon::kubesim::apiserver {

// Returns a transport that trusts this CA and expects this name in the certificate; empty: the host of the URL.
using WebhookTransport =
    std::function<std::shared_ptr<http::Transport>(const std::string& ca_pem, const std::string& server_name)>;

class WebhookCaller {
 public:
  // Borrows the store. Without `transport`, every call fails.
  WebhookCaller(Store& store, WebhookTransport transport) : store_(store), transport_(std::move(transport)) {}

  // Posts the review and returns the answer. Errors: kUnavailable, with the text of a real API server:
  // `Post "https://karpenter.kube-system.svc:8443/conversion?timeout=30s": no endpoints available for service
  // "karpenter"`.
  Result<boost::json::value> call(const boost::json::value& client_config, const boost::json::value& review,
                                  std::chrono::seconds timeout);

 private:
  // `shown`: the URL in messages; the request goes to `url`.
  struct Address {
    std::string shown, url, server_name;
  };
  Result<Address> address_of(const boost::json::value& client_config, const std::string& query) const;
  std::shared_ptr<http::Transport> transport(const std::string& ca_pem, const std::string& server_name);

  Store& store_;
  const WebhookTransport transport_;
  std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, std::shared_ptr<http::Transport>> transports_;  // by CA and name
};

}  // namespace tenon::kubesim::apiserver
