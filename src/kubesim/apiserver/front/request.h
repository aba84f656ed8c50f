// The parts of an HTTP request to the API server. parity: k8s.io/apiserver/pkg/endpoints/request/requestinfo.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "http/handler.h"
#include "kubesim/apiserver/base/error.h"
#include "kubesim/apiserver/objects/objects.h"

namespace tenon::kubesim::apiserver {

struct ApiRequest {
  std::vector<std::string> parts;  // of the path, decoded
  bool is_resource = false;        // below /api/v1 or /apis/<group>/<version>, with a resource
  std::string verb;                // get list watch create update patch delete deletecollection
  std::string group, version, resource, subresource, ns, name;
  std::map<std::string, std::string, std::less<>> query;  // the first value of each parameter
  std::string user = {};
  std::vector<std::string> groups = {};

  std::string_view param(std::string_view key) const;
  bool flag(std::string_view key) const;  // "true" or "1"
};

ApiRequest parse_request(const http::ServerRequest& request);

// Returns the body as a JSON value: from JSON, YAML or protobuf by its Content-Type. Errors: 415, 400.
Answer<boost::json::value> parse_body(const http::ServerRequest& request);
// Reads dryRun, fieldManager and fieldValidation. The default manager is the client's name in User-Agent.
Answer<WriteContext> write_context(const ApiRequest& request, const http::ServerRequest& http);
// Reads the options of a DELETE from its body or its query.
Answer<DeleteOptions> delete_options(const ApiRequest& request, const http::ServerRequest& http, bool* dry_run);

}  // namespace tenon::kubesim::apiserver
