// What a conversion of a cluster reads before it decides: documents as the API server returns them, and the instances
// of the nodes. observe.cc
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/value.hpp>
#include <map>
#include <string>
#include <vector>

#include "aws/ec2.h"
#include "base/instant.h"
#include "base/result.h"
#include "kube/client.h"

namespace tenon::migrate {

using Documents = std::vector<boost::json::value>;

struct Observed {
  Documents provisioners, templates, settings;  // settings: at most one ConfigMap
  Documents machines;                           // of Karpenter 0.28 to 0.31
  Documents pools, classes, claims, nodes, pods;
  std::map<std::string, aws::InstanceInfo> instances;  // by provider id, those of instance_ids()
  std::string kubernetes_version, cluster_name;
  Instant now{};
};

// Reads the cluster; one without the CRDs of v0.27 has no objects of it. `settings_namespace`: of the ConfigMap
// karpenter-global-settings; empty: wherever it is. Leaves instances and cluster_name empty. Errors: those of the
// client; kInvalid: several namespaces have such a ConfigMap.
Result<Observed> observe(kube::Client& client, const std::string& settings_namespace, Instant now,
                         const std::stop_token& stop);
// Returns the ids of the instances whose nodes a Provisioner launched.
std::vector<std::string> instance_ids(const Observed& observed);
// Reads these instances. One that has ended is left out.
Status observe_instances(aws::Ec2& ec2, Observed& observed, const std::stop_token& stop);

// Accessors of documents. provider_id(): of a Node or a NodeClaim; a NodeClaim whose status is not written yet has the
// id of the instance that it adopts.
std::string name_of(const boost::json::value& document);
std::string reference(const boost::json::value& document);  // "Node/ip-10-0-0-1"
std::string uid_of(const boost::json::value& document);
std::string label(const boost::json::value& document, std::string_view key);
std::string annotation(const boost::json::value& document, std::string_view key);
std::string provider_id(const boost::json::value& document);
bool deleting(const boost::json::value& document);
// Returns the object with this name; null: there is none.
const boost::json::value* by_name(const Documents& documents, std::string_view name);
// "i-0123" for "aws:///us-east-1a/i-0123"; empty: another form.
std::string instance_id(std::string_view provider_id);

}  // namespace tenon::migrate
