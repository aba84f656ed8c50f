// Answers the reviews that an API server sends to webhooks: conversion between v1beta1 and v1
// (legacy/served_versions.h), defaulting and validation of the objects of v0.27 (legacy/provisioner.h,
// legacy/node_template.h, the ConfigMap of the settings).
//
// A review is the body of a request: ConversionReview (apiextensions.k8s.io/v1 or v1beta1) or AdmissionReview
// (admission.k8s.io/v1). The answer is a review of the same kind and version with a response.
// Pure. Errors: kInvalid, the body is no such review; an object that is refused is an answer.
// parity: karpenter v0.27.5 pkg/webhooks; the texts are those of knative's admission controllers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>

#include "base/result.h"

namespace tenon::webhooks {

// Converts all objects or, with the name of the first one that has no conversion, none.
Result<boost::json::value> convert(const boost::json::value& review);
// Allows every object, with a JSON patch that adds the requirements which are absent from a Provisioner.
Result<boost::json::value> set_defaults(const boost::json::value& review);
// Validates Provisioners, AWSNodeTemplates and the ConfigMap karpenter-global-settings; allows everything else. An
// object that is being deleted is allowed: its finalizers must be removable.
Result<boost::json::value> validate(const boost::json::value& review);

}  // namespace tenon::webhooks
