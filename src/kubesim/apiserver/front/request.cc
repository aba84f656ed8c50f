// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/front/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "json/json.h"
#include "json/yaml.h"
#include "kubesim/apiserver/front/protobuf.h"

namespace tenon::kubesim::apiserver {
namespace {

using boost::json::value;

// parts: the segments of the path after the version.
void parse_resource(ApiRequest& request, std::vector<std::string> parts) {
  if (parts.empty()) return;
  if (parts[0] == "namespaces" && parts.size() > 1) {
    request.ns = parts[1];
    if (parts.size() > 2 && parts[2] != "status" && parts[2] != "finalize") {
      parts.erase(parts.begin(), parts.begin() + 2);
    } else {
      request.ns.clear();
    }
  }
  request.is_resource = true;
  request.resource = parts[0];
  if (parts.size() > 1) request.name = parts[1];
  if (parts.size() > 2) request.subresource = parts[2];
}

std::string verb_of(const ApiRequest& request, std::string_view method) {
  const bool collection = request.name.empty();
  if (method == "POST") return "create";
  if (method == "PUT") return "update";
  if (method == "PATCH") return "patch";
  if (method == "DELETE") return collection ? "deletecollection" : "delete";
  if (request.flag("watch") && request.subresource.empty()) return "watch";
  return collection ? "list" : "get";
}

std::string_view media_type(std::string_view header) { return trim(cut(header, ';').first); }

std::string client_name(const http::ServerRequest& http) {
  const std::string_view agent = http.headers.get("User-Agent");
  return std::string(agent.substr(0, std::min(agent.find_first_of("/ "), agent.size())));
}

Done check_dry_run(std::string_view text, bool* dry_run) {
  if (text.empty()) return {};
  if (text != "All") {
    return refuse(bad_request(fmt::format("dryRun: Unsupported value: \"{}\": supported values: \"All\"", text)));
  }
  *dry_run = true;
  return {};
}

}  // namespace

std::string_view ApiRequest::param(std::string_view key) const {
  const auto found = query.find(key);
  return found == query.end() ? std::string_view() : std::string_view(found->second);
}

bool ApiRequest::flag(std::string_view key) const { return param(key) == "true" || param(key) == "1"; }

ApiRequest parse_request(const http::ServerRequest& http) {
  ApiRequest request;
  for (std::string_view part : split(http.raw_path, '/')) {
    if (!part.empty()) request.parts.push_back(percent_decode(part));
  }
  for (auto& [key, text] : http::parse_query(http.raw_query)) request.query.emplace(std::move(key), std::move(text));
  const auto& parts = request.parts;
  if (parts.size() >= 2 && parts[0] == "api") {
    request.version = parts[1];
    parse_resource(request, {parts.begin() + 2, parts.end()});
  } else if (parts.size() >= 3 && parts[0] == "apis") {
    request.group = parts[1];
    request.version = parts[2];
    parse_resource(request, {parts.begin() + 3, parts.end()});
  }
  request.verb = verb_of(request, http.method);
  // A watch of one object is a watch of its collection.
  if (request.verb == "watch" && !request.name.empty()) {
    request.query["fieldSelector"] = "metadata.name=" + request.name;
    request.name.clear();
  }
  return request;
}

Answer<value> parse_body(const http::ServerRequest& http) {
  const std::string_view type = media_type(http.headers.get("Content-Type"));
  const bool json = type.empty() || type == "application/json" || type.ends_with("+json");
  if (json) {
    auto parsed = json::parse(http.body);
    if (!parsed) return refuse(bad_request("the body is not valid JSON: " + parsed.error().message));
    return std::move(*parsed);
  }
  if (type == kProtobufType) return parse_protobuf(http.body);
  if (type != "application/yaml" && type != "application/apply-patch+yaml" && type != "application/x-yaml") {
    return refuse(unsupported_media_type(
        "the body of the request was in an unknown format - accepted media types include: application/json, "
        "application/yaml, application/vnd.kubernetes.protobuf"));
  }
  auto parsed = json::parse_yaml(http.body);
  if (!parsed) return refuse(bad_request("the body is not valid YAML: " + parsed.error().message));
  if (parsed->size() != 1) return refuse(bad_request("the body must hold one YAML document"));
  return std::move(parsed->front());
}

Answer<WriteContext> write_context(const ApiRequest& request, const http::ServerRequest& http) {
  WriteContext context;
  context.manager =
      request.param("fieldManager").empty() ? client_name(http) : std::string(request.param("fieldManager"));
  constexpr size_t kMaxManagerBytes = 128;
  if (context.manager.size() > kMaxManagerBytes)
    return refuse(bad_request("fieldManager: may not be longer than 128 bytes"));
  TRY_API(check_dry_run(request.param("dryRun"), &context.dry_run));
  const std::string_view validation = request.param("fieldValidation");
  if (validation == "Strict")
    context.validation = FieldValidation::kStrict;
  else if (validation == "Warn" || validation.empty())
    context.validation = FieldValidation::kWarn;
  else if (validation != "Ignore") {
    return refuse(bad_request(fmt::format(
        "fieldValidation: Unsupported value: \"{}\": supported values: \"Ignore\", \"Warn\", \"Strict\"", validation)));
  }
  return context;
}

Answer<DeleteOptions> delete_options(const ApiRequest& request, const http::ServerRequest& http, bool* dry_run) {
  value body = boost::json::object();
  if (!http.body.empty()) body = TRY_API(parse_body(http));
  if (!body.is_object()) return refuse(bad_request("DeleteOptions: must be an object"));
  DeleteOptions options;
  options.propagation_policy = json::string_at(body, {"propagationPolicy"}, request.param("propagationPolicy"));
  options.uid = json::string_at(body, {"preconditions", "uid"});
  options.resource_version = json::string_at(body, {"preconditions", "resourceVersion"});
  if (json::find(body, {"gracePeriodSeconds"}) != nullptr) {
    options.grace_period_seconds = json::int_at(body, {"gracePeriodSeconds"});
  } else if (const std::string_view text = request.param("gracePeriodSeconds"); !text.empty()) {
    int64_t seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (error != std::errc() || end != text.data() + text.size()) {
      return refuse(bad_request("gracePeriodSeconds: must be a number"));
    }
    options.grace_period_seconds = seconds;
  }
  if (json::bool_at(body, {"orphanDependents"}) || request.flag("orphanDependents"))
    options.propagation_policy = "Orphan";
  TRY_API(check_dry_run(request.param("dryRun"), dry_run));
  for (const value& entry : json::array_at(body, {"dryRun"})) {
    TRY_API(check_dry_run(entry.is_string() ? std::string_view(entry.get_string()) : "?", dry_run));
  }
  const std::string& policy = options.propagation_policy;
  if (!policy.empty() && policy != "Background" && policy != "Foreground" && policy != "Orphan") {
    return refuse(
        bad_request(fmt::format("propagationPolicy: Unsupported value: \"{}\": supported values: "
                                "\"Background\", \"Foreground\", \"Orphan\"",
                                policy)));
  }
  return options;
}

}  // namespace tenon::kubesim::apiserver
