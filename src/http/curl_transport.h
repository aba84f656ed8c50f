// The production Transport: libcurl, HTTP/1.1 and HTTP/2, connection reuse, proxies from the environment.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "http/transport.h"

namespace tenon::http {

struct TlsClientOptions {
  std::string ca_pem = {};           // empty: the system's trust store
  std::string client_cert_pem = {};  // both or neither
  std::string client_key_pem = {};
  std::string server_name = {};  // the name to verify; empty: the URL's host
  bool insecure_skip_verify = false;
  std::string proxy_url = {};  // for every host; empty: HTTPS_PROXY, http_proxy and NO_PROXY of the environment
  bool no_proxy = false;       // ignores the environment
};

std::unique_ptr<Transport> make_curl_transport(TlsClientOptions options = {});

}  // namespace tenon::http
