// Calls the webhooks of MutatingWebhookConfigurations and ValidatingWebhookConfigurations that a write matches: by
// rule, by the labels of the object (objectSelector) and by those of its Namespace (namespaceSelector). Thread rule:
// any thread; the calls block. parity: k8s.io/apiserver/pkg/admission/plugin/webhook
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>

#include "kubesim/apiserver/base/error.h"
#include "kubesim/apiserver/kinds/registry.h"
#include "kubesim/apiserver/webhooks/caller.h"
#include "runtime/runtime.h"

namespace tenon::kubesim::apiserver {

class AdmissionWebhooks {
 public:
  AdmissionWebhooks(runtime::Runtime& runtime, Store& store, WebhookCaller& caller)
      : runtime_(runtime), store_(store), caller_(caller) {}

  struct Write {
    const ResourceInfo& info;
    std::string_view operation;  // CREATE or UPDATE
    std::string_view subresource;
    const boost::json::value* old = nullptr;  // null on create
    bool dry_run = false;
  };
  // Applies the patches of the mutating webhooks, in the order of the names of their configurations.
  // Errors: 400 to 422 as the webhook says, 500 if it fails and its failurePolicy is Fail.
  Done mutate(const Write& write, boost::json::value& object) const;
  Done validate(const Write& write, const boost::json::value& object) const;

 private:
  Done call_all(const Resource& configurations, const Write& write, boost::json::value& object) const;
  Done call_one(const boost::json::value& webhook, const Write& write, boost::json::value& object) const;
  bool matches(const boost::json::value& webhook, const Write& write, const boost::json::value& object) const;

  runtime::Runtime& runtime_;
  Store& store_;
  WebhookCaller& caller_;
};

}  // namespace tenon::kubesim::apiserver
