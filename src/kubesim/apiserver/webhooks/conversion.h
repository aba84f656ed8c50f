// Implements the conversion strategy Webhook of CustomResourceDefinitions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>

#include "kubesim/apiserver/kinds/crd.h"
#include "kubesim/apiserver/webhooks/caller.h"
#include "runtime/runtime.h"

namespace tenon::kubesim::apiserver {

// Returns a function that sends ConversionReviews (apiextensions.k8s.io/v1). Borrows its arguments. Its errors: 500,
// `conversion webhook for karpenter.sh/v1beta1, Kind=NodePool failed: …`.
// parity: apiextensions-apiserver pkg/apiserver/conversion/webhook_converter.go
ConverterOf webhook_converter(runtime::Runtime& runtime, WebhookCaller& caller);

}  // namespace tenon::kubesim::apiserver
