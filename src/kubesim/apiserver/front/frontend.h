// The API over HTTP: authentication, routing, content negotiation.
// frontend_verbs.cc defines the answers to each verb.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "http/handler.h"
#include "kubesim/apiserver/front/lists.h"
#include "kubesim/apiserver/front/request.h"
#include "kubesim/apiserver/front/server.h"
#include "kubesim/apiserver/objects/objects.h"

namespace tenon::kubesim::apiserver {

class Frontend {
 public:
  Frontend(Objects& objects, const ApiServerOptions& options)
      : objects_(objects), options_(options), pages_(objects.runtime()) {}
  void serve(const http::ServerRequest& http, http::ResponseWriter& writer, const std::stop_token& stop);

 private:
  // The state of one request.
  struct Call {
    const http::ServerRequest& http;
    ApiRequest request;
    InfoPtr served, stored;  // the version in the request, and the stored version
    Wanted wanted;
    std::vector<std::string> warnings;
  };
  struct Reply {
    int status = 200;
    std::string body;
    std::string content_type = "application/json";
  };

  bool authenticate(const http::ServerRequest& http, ApiRequest& request) const;
  Answer<Reply> serve_path(Call& call) const;  // paths outside of the resources
  Answer<Reply> serve_discovery(const Call& call) const;
  Answer<Reply> serve_resource(Call& call);
  Answer<Reply> serve_subresource(Call& call);
  Answer<Reply> serve_virtual(Call& call) const;  // reviews
  Answer<Reply> serve_scale(Call& call);
  Answer<Reply> serve_pod_action(Call& call);
  Done resolve(Call& call) const;
  static Answer<Object> as_served(const Call& call, const Object& object);

  Answer<Reply> list(Call& call);
  Answer<Reply> get(Call& call);
  Answer<Reply> create(Call& call);
  Answer<Reply> update(Call& call);
  Answer<Reply> patch(Call& call);
  Answer<Reply> remove(Call& call);
  Answer<Reply> remove_collection(Call& call);

  Answer<WriteContext> context(Call& call) const;
  Renderer renderer(const Call& call) const;
  Target target(const Call& call) const;

  Objects& objects_;
  const ApiServerOptions& options_;
  Pages pages_;
};

}  // namespace tenon::kubesim::apiserver
