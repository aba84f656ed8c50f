// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/front/frontend.h"

#include <fmt/format.h>

#include <cstdlib>

#include "json/json.h"
#include "kubesim/apiserver/front/openapi.h"
#include "kubesim/apiserver/front/reviews.h"
#include "kubesim/apiserver/show/discovery.h"

namespace tenon::kubesim::apiserver {
namespace {

using boost::json::object;
using boost::json::value;

// Paths that need no credentials. parity: the cluster role system:public-info-viewer
bool is_public(const ApiRequest& request) {
  if (request.parts.empty()) return false;
  const std::string& first = request.parts[0];
  return first == "healthz" || first == "livez" || first == "readyz" || first == "version";
}

value version_info(const std::string& git_version) {
  const std::string_view numbers = std::string_view(git_version).substr(1);
  const size_t dot = numbers.find('.');
  const std::string major(numbers.substr(0, dot));
  const std::string minor(numbers.substr(dot + 1, numbers.find('.', dot + 1) - dot - 1));
  return object{{"major", major},
                {"minor", minor},
                {"emulationMajor", major},
                {"emulationMinor", minor},
                {"minCompatibilityMajor", major},
                {"minCompatibilityMinor", std::to_string(std::atoi(minor.c_str()) - 1)},
                {"gitVersion", git_version},
                {"gitCommit", ""},
                {"gitTreeState", "clean"},
                {"buildDate", "1970-01-01T00:00:00Z"},
                {"goVersion", ""},
                {"compiler", "gc"},
                {"platform", "linux/amd64"}};
}

http::Headers headers_for(std::string_view content_type, const std::vector<std::string>& warnings) {
  http::Headers headers{{"Content-Type", std::string(content_type)}, {"Cache-Control", "no-cache, private"}};
  for (const std::string& warning : warnings) {
    std::string quoted;
    for (char c : warning) {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
    headers.add("Warning", "299 - \"" + quoted + "\"");
  }
  return headers;
}

void respond_error(http::ResponseWriter& writer, const ApiError& error, const std::vector<std::string>& warnings) {
  http::Headers headers = headers_for("application/json", warnings);
  if (error.retry_after_seconds > 0) headers.set("Retry-After", std::to_string(error.retry_after_seconds));
  writer.respond(
      {.status = error.code, .headers = std::move(headers), .body = json::to_string(to_status(error)) + "\n"});
}

}  // namespace

bool Frontend::authenticate(const http::ServerRequest& http, ApiRequest& request) const {
  constexpr std::string_view kBearer = "Bearer ";
  if (!http.client_common_name.empty()) {
    request.user = http.client_common_name;
    request.groups = http.client_organizations;
    return true;
  }
  const std::string_view header = http.headers.get("Authorization");
  if (header.starts_with(kBearer)) {
    for (const ApiServerOptions::Token& token : options_.tokens) {
      if (header.substr(kBearer.size()) != token.token) continue;
      request.user = token.user;
      request.groups = token.groups;
      return true;
    }
    if (!options_.tokens.empty()) return false;
  }
  request.user = "system:anonymous";
  request.groups = {"system:unauthenticated"};
  return options_.tokens.empty() || is_public(request);
}

void Frontend::serve(const http::ServerRequest& http, http::ResponseWriter& writer, const std::stop_token& stop) {
  Call call{http, parse_request(http), nullptr, nullptr, {}, {}};
  if (!authenticate(http, call.request)) return respond_error(writer, unauthorized(), {});
  if (!call.request.is_resource) {
    auto reply = serve_path(call);
    // Outside of the API, the response is plain text.
    if (!reply)
      reply = Reply{.status = 404, .body = "404 page not found\n", .content_type = "text/plain; charset=utf-8"};
    return writer.respond(
        {.status = reply->status, .headers = headers_for(reply->content_type, {}), .body = std::move(reply->body)});
  }
  if (auto resolved = resolve(call); !resolved) return respond_error(writer, resolved.error(), {});
  if (call.request.verb == "watch") {
    const auto selection = parse_selection(call.stored, call.request);
    if (!selection) return respond_error(writer, selection.error(), {});
    const Renderer render = renderer(call);
    if (auto done = serve_watch(objects_, call.request, *call.served, *selection, render, writer, stop); !done)
      respond_error(writer, done.error(), {});
    return;
  }
  auto reply = call.request.subresource.empty() ? serve_resource(call) : serve_subresource(call);
  if (!reply) return respond_error(writer, reply.error(), call.warnings);
  writer.respond({.status = reply->status,
                  .headers = headers_for(reply->content_type, call.warnings),
                  .body = http.method == "HEAD" ? std::string() : std::move(reply->body)});
}

Answer<Frontend::Reply> Frontend::serve_path(Call& call) const {
  const auto& parts = call.request.parts;
  const std::string first = parts.empty() ? "" : parts[0];
  if (first == "healthz" || first == "livez" || first == "readyz")
    return Reply{.body = "ok", .content_type = "text/plain; charset=utf-8"};
  if (first == "version") return Reply{.body = json::to_pretty(version_info(options_.git_version))};
  if (first == "api" || first == "apis") return serve_discovery(call);
  if (first == "openapi") {
    OpenApiReply document =
        TRY_API(serve_openapi(call.request, *objects_.registry().get(), objects_.registry().version()));
    return Reply{.body = std::move(document.body), .content_type = std::move(document.content_type)};
  }
  if (!first.empty()) return refuse(no_such_path());
  boost::json::array paths{"/api",        "/api/v1",     "/apis",   "/healthz", "/livez",
                           "/openapi/v2", "/openapi/v3", "/readyz", "/version"};
  return Reply{.body = json::to_pretty(object{{"paths", std::move(paths)}})};
}

Answer<Frontend::Reply> Frontend::serve_discovery(const Call& call) const {
  const auto registry = objects_.registry().get();
  const auto& parts = call.request.parts;
  const bool core = parts[0] == "api";
  if (parts.size() == 1) {
    const Wanted wanted = negotiate(call.http.headers.get("Accept"), {Wanted::Form::kDiscovery});
    if (wanted.form == Wanted::Form::kDiscovery) {
      return Reply{
          .body = json::to_string(aggregated_discovery(*registry, core, wanted.version)),
          .content_type = "application/json;g=apidiscovery.k8s.io;v=" + wanted.version + ";as=APIGroupDiscoveryList"};
    }
    return Reply{.body = json::to_string(core ? api_versions(call.http.host) : api_group_list(*registry))};
  }
  value document;
  if (core && parts.size() == 2) document = api_resource_list(*registry, "", parts[1]);
  if (!core && parts.size() == 2) document = api_group(*registry, parts[1]);
  if (!core && parts.size() == 3) document = api_resource_list(*registry, parts[1], parts[2]);
  if (document.is_null()) return refuse(no_such_path());
  return Reply{.body = json::to_string(document)};
}

Done Frontend::resolve(Call& call) const {
  const auto registry = objects_.registry().get();
  const ApiRequest& request = call.request;
  call.served = registry->find(request.group, request.version, request.resource);
  if (!call.served) return refuse(no_such_path());
  call.stored = call.served->stored_api_version() == call.served->api_version()
                    ? call.served
                    : registry->find(call.served->storage());
  if (!call.stored) return refuse(no_such_path());
  if (call.served->namespaced && request.ns.empty() && !request.name.empty()) return refuse(no_such_path());
  if (!call.served->namespaced && !request.ns.empty()) return refuse(no_such_path());
  static const std::map<std::string_view, unsigned> kVerbs = {
      {"get", Verbs::kGet},       {"list", Verbs::kList},
      {"watch", Verbs::kWatch},   {"create", Verbs::kCreate},
      {"update", Verbs::kUpdate}, {"patch", Verbs::kPatch},
      {"delete", Verbs::kDelete}, {"deletecollection", Verbs::kDeleteCollection}};
  unsigned allowed = call.served->verbs;
  if (!request.subresource.empty()) {
    const Subresource* sub = call.served->subresource(request.subresource);
    if (sub == nullptr) return refuse(no_such_path());
    allowed = sub->verbs;
  }
  if ((allowed & kVerbs.at(request.verb)) == 0) return refuse(method_not_supported(*call.served, request.verb));
  if (!call.served->deprecation_warning.empty()) call.warnings.push_back(call.served->deprecation_warning);
  call.wanted = negotiate(call.http.headers.get("Accept"), {Wanted::Form::kTable, Wanted::Form::kPartialMetadata});
  if (call.wanted.form == Wanted::Form::kNone) return refuse(not_acceptable());
  return {};
}

Answer<Frontend::Reply> Frontend::serve_resource(Call& call) {
  if (call.served->has(Traits::kVirtual)) return serve_virtual(call);
  const std::string& verb = call.request.verb;
  if (verb == "list") return list(call);
  if (verb == "get") return get(call);
  if (verb == "create") return create(call);
  if (verb == "update") return update(call);
  if (verb == "patch") return patch(call);
  return verb == "delete" ? remove(call) : remove_collection(call);
}

Answer<Frontend::Reply> Frontend::serve_subresource(Call& call) {
  const std::string& name = call.request.subresource;
  if (name == "scale") return serve_scale(call);
  if (name == "binding" || name == "eviction" || name == "log" || name == "token") return serve_pod_action(call);
  if (call.request.verb == "get") return get(call);
  return call.request.verb == "patch" ? patch(call) : update(call);
}

Answer<Frontend::Reply> Frontend::serve_virtual(Call& call) const {
  value body = TRY_API(parse_body(call.http));
  const Reviewer reviewer{call.request.user, call.request.groups, options_};
  return Reply{.status = 201, .body = json::to_string(TRY_API(reviewer.review(*call.served, std::move(body)))) + "\n"};
}

Answer<WriteContext> Frontend::context(Call& call) const {
  WriteContext result = TRY_API(write_context(call.request, call.http));
  result.warnings = &call.warnings;
  return result;
}

Renderer Frontend::renderer(const Call& call) const {
  return Renderer(*call.served, call.wanted, std::string(call.request.param("includeObject")),
                  objects_.runtime().now());
}

Target Frontend::target(const Call& call) const {
  return {call.stored, call.request.ns, call.request.name, call.request.subresource};
}

}  // namespace tenon::kubesim::apiserver
