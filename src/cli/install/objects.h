// The objects of a release except its Deployment (objects.cc, roles.cc). Each function returns whole Kubernetes
// objects. Thread rule: any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/install/chart.h"

namespace tenon::cli::install {

boost::json::object selector_labels(const Chart& chart);
// Returns metadata with the labels and annotations that all objects have; cluster-wide without a namespace.
boost::json::object metadata(const Chart& chart, const std::string& name, bool cluster_wide = false);
// Adds what `more` has and `base` has not; an empty value of `base` counts as missing. parity: merge of sprig.
void merge_into(boost::json::object& base, const boost::json::object& more);

boost::json::value disruption_budget(const Chart& chart);
std::vector<boost::json::value> service_account(const Chart& chart);  // none if create is false
boost::json::value service(const Chart& chart);
std::vector<boost::json::value> roles(const Chart& chart);             // of deploy/, under the names of the release
std::vector<boost::json::value> settings_of_v027(const Chart& chart);  // ConfigMaps; none for values of v1
// Returns the data of ConfigMap karpenter-global-settings.
boost::json::object global_settings(const Chart& chart);
std::vector<boost::json::value> certificate(const Chart& chart);      // the Secret that the replicas fill
std::vector<boost::json::value> registrations(const Chart& chart);    // webhooks of v0.27
std::vector<boost::json::value> service_monitor(const Chart& chart);  // none unless enabled

}  // namespace tenon::cli::install
