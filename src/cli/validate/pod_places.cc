// SPDX-License-Identifier: Apache-2.0
#include "cli/validate/pod_places.h"

#include <utility>

#include "json/json.h"
#include "kube/codec/codec.h"

namespace tenon::cli {

std::string namespace_of(const json::value& document) {
  return std::string(json::string_at(document, {"metadata", "namespace"}, "default"));
}

std::optional<PodPlace> pod_of(const json::value& document) {
  const std::string_view kind = json::string_at(document, {"kind"});
  std::string path;
  const json::value* at = &document;
  if (kind == "Deployment" || kind == "StatefulSet" || kind == "DaemonSet" || kind == "ReplicaSet" || kind == "Job") {
    path = "spec.template";
    at = json::find(document, {"spec", "template"});
  } else if (kind == "CronJob") {
    path = "spec.jobTemplate.spec.template";
    at = json::find(document, {"spec", "jobTemplate", "spec", "template"});
  } else if (kind != "Pod") {
    return std::nullopt;
  }
  if (at == nullptr) return std::nullopt;
  std::string fault;
  auto pod = kube::codec::decode_pod(*at, &fault);
  if (!pod) return std::nullopt;
  pod->meta.ns = namespace_of(document);
  return PodPlace{*std::move(pod), at, path.empty() ? "" : path + "."};
}

}  // namespace tenon::cli
