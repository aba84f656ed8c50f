// Finds the pods in documents: Pods, and the templates of workloads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <optional>
#include <string>

#include "model/pod.h"

namespace tenon::cli {

struct PodPlace {
  model::Pod pod;                      // with the namespace of the document
  const boost::json::value* document;  // the part that is the pod
  std::string path;                    // before its fields: "spec.template."; empty for a Pod
};

// Returns nothing for other kinds.
std::optional<PodPlace> pod_of(const boost::json::value& document);
// Returns metadata.namespace, or default.
std::string namespace_of(const boost::json::value& document);

}  // namespace tenon::cli
