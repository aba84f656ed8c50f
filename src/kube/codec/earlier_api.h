// Reads the objects of Karpenter v0.27 as the model that v1 has: one engine serves both generations. Pure.
//
// The projection of a Provisioner is a NodePool with the key "provisioner/NAME" (model/generations.h), that of an
// AWSNodeTemplate a NodeClass "awsnodetemplate/NAME", that of an inline spec.provider a NodeClass "provisioner/NAME",
// whose status is status.provider. They have the defaults of v0.27's webhook, whether or not a webhook runs. What the
// webhook would refuse is a fault: the object is kept, marked as unreadable, and launches nothing.
// The settings of the ConfigMap are not in it: model/global_settings.h.
// Errors and `fault`: as in codec.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>

#include "base/result.h"
#include "model/global_settings.h"
#include "model/node_class.h"
#include "model/node_pool.h"

namespace tenon::kube::codec {

Result<model::NodePool> decode_provisioner(const boost::json::value& document, std::string* fault = nullptr);
Result<model::NodeClass> decode_node_template(const boost::json::value& document, std::string* fault = nullptr);
// Reads the node class of a Provisioner with an inline provider; of one without, a class without a name. A fault is
// that of decode_provisioner(), which reports it: here it only marks the class as unreadable.
Result<model::NodeClass> decode_inline_provider(const boost::json::value& document, std::string* fault = nullptr);
Result<model::GlobalSettings> decode_global_settings(const boost::json::value& document, std::string* fault = nullptr);

}  // namespace tenon::kube::codec
