// CustomResourceDefinitions and the resources that they add to the registry.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <functional>
#include <vector>

#include "kubesim/apiserver/base/error.h"
#include "kubesim/apiserver/kinds/registry.h"
#include "schema/schema.h"

namespace tenon::kubesim::apiserver {

inline constexpr std::string_view kDefinitionFinalizer = "customresourcecleanup.apiextensions.k8s.io";

bool is_definition(const ResourceInfo& info);
void default_definition(boost::json::value& crd);
// Validates names, versions and schemas. old: null on create.
// parity: k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation
std::vector<Cause> validate_definition(const boost::json::value& crd, const boost::json::value* old);
// Sets the status of a served definition: NamesAccepted, Established, and the versions in which objects may be stored
// (those of `old`, too; null on create).
void establish_definition(boost::json::value& crd, const boost::json::value* old);
// Returns how to convert objects of a definition with the conversion strategy Webhook, from its clientConfig.
using ConverterOf = std::function<Convert(const boost::json::value& client_config)>;
// Returns one resource for each served version. The definition must be valid. Without `converter_of`, versions differ
// in apiVersion only.
std::vector<InfoPtr> defined_resources(const boost::json::value& crd, const ConverterOf& converter_of = {});

}  // namespace tenon::kubesim::apiserver
