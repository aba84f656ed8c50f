// SPDX-License-Identifier: Apache-2.0
#include "webhooks/reviews.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "json/json.h"
#include "kube/codec/earlier_api.h"
#include "legacy/node_template.h"
#include "legacy/provisioner.h"
#include "legacy/served_versions.h"

namespace tenon::webhooks {
namespace {

using json::array;
using json::object;
using json::value;

// The CRDs of Karpenter 1.0 prefer reviews of v1beta1; the two versions have the same fields.
constexpr std::array kConversionApis{"apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1"};
constexpr std::array kAdmissionApis{"admission.k8s.io/v1"};

Result<const value*> request_of(const value& review, std::span<const char* const> apis, std::string_view kind) {
  const std::string_view api = json::string_at(review, {"apiVersion"});
  if (std::find(apis.begin(), apis.end(), api) == apis.end() || json::string_at(review, {"kind"}) != kind)
    return fail(Code::kInvalid, "the body is no " + std::string(kind) + " of " + apis.front());
  const value* request = json::find(review, {"request"});
  if (request == nullptr || !request->is_object()) return fail(Code::kInvalid, "request: missing field");
  if (json::string_at(*request, {"uid"}).empty()) return fail(Code::kInvalid, "request.uid: missing field");
  return request;
}

// An answer has the version and the kind of its review.
value answer(const value& review, object response) {
  response["uid"] = json::string_at(review, {"request", "uid"});
  return object{{"apiVersion", json::string_at(review, {"apiVersion"})},
                {"kind", json::string_at(review, {"kind"})},
                {"response", std::move(response)}};
}

bool is_provisioner(const value& document) {
  return json::string_at(document, {"apiVersion"}) == legacy::kProvisionerApi &&
         json::string_at(document, {"kind"}) == "Provisioner";
}
bool is_node_template(const value& document) {
  return json::string_at(document, {"apiVersion"}) == legacy::kNodeTemplateApi &&
         json::string_at(document, {"kind"}) == "AWSNodeTemplate";
}

// The first problem of an object, or an empty text.
std::string problem_of(const value& document) {
  std::vector<legacy::FieldError> errors;
  if (is_provisioner(document)) errors = legacy::validate_provisioner(document);
  if (is_node_template(document)) errors = legacy::validate_node_template(document);
  std::string all;
  for (const legacy::FieldError& error : errors) all += (all.empty() ? "" : "\n") + legacy::to_string(error);
  if (!all.empty()) return all;
  std::string fault;
  if (json::string_at(document, {"kind"}) == "ConfigMap" &&
      json::string_at(document, {"metadata", "name"}) == "karpenter-global-settings") {
    (void)kube::codec::decode_global_settings(document, &fault);
  }
  return fault;
}

}  // namespace

Result<value> convert(const value& review) {
  const value& request = *TRY(request_of(review, kConversionApis, "ConversionReview"));
  const std::string_view version = json::string_at(request, {"desiredAPIVersion"});
  array converted;
  object result{{"status", "Success"}};
  for (const value& document : json::array_at(request, {"objects"})) {
    auto made = legacy::to_version(document, version);
    if (!made) {
      result = {{"status", "Failed"}, {"message", made.error().message}};
      converted.clear();
      break;
    }
    converted.push_back(std::move(*made));
  }
  return answer(review, {{"result", std::move(result)}, {"convertedObjects", std::move(converted)}});
}

Result<value> set_defaults(const value& review) {
  const value& request = *TRY(request_of(review, kAdmissionApis, "AdmissionReview"));
  object response{{"allowed", true}};
  const value* document = json::find(request, {"object"});
  if (document != nullptr && is_provisioner(*document) && json::string_at(request, {"subResource"}).empty()) {
    value with_defaults = *document;
    legacy::apply_defaults(with_defaults);
    const value* before = json::find(*document, {"spec", "requirements"});
    const value* after = json::find(with_defaults, {"spec", "requirements"});
    const bool changed = after != nullptr && (before == nullptr || *before != *after);
    if (changed && json::find(*document, {"spec"}) != nullptr) {
      array patch;
      patch.push_back(object{{"op", before ? "replace" : "add"}, {"path", "/spec/requirements"}, {"value", *after}});
      response["patchType"] = "JSONPatch";
      response["patch"] = base64_encode(json::to_string(value(std::move(patch))));
    }
  }
  return answer(review, std::move(response));
}

Result<value> validate(const value& review) {
  const value& request = *TRY(request_of(review, kAdmissionApis, "AdmissionReview"));
  object response{{"allowed", true}};
  const value* document = json::find(request, {"object"});
  const bool looked_at = document != nullptr && document->is_object() &&
                         json::string_at(request, {"operation"}) != "DELETE" &&
                         json::string_at(request, {"subResource"}).empty() &&
                         json::find(*document, {"metadata", "deletionTimestamp"}) == nullptr;
  if (const std::string problem = looked_at ? problem_of(*document) : ""; !problem.empty()) {
    response["allowed"] = false;
    response["status"] = object{
        {"status", "Failure"}, {"reason", "BadRequest"}, {"code", 400}, {"message", "validation failed: " + problem}};
  }
  return answer(review, std::move(response));
}

}  // namespace tenon::webhooks
