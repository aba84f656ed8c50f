// SPDX-License-Identifier: Apache-2.0
#include "cli/install/iam.h"

#include "base/text.h"
#include "cli/install/iam_files.h"
#include "cli/install/keys.h"
#include "json/json.h"

namespace tenon::cli::install {
namespace {

constexpr Key kIamKeys[] = {
    kClusterName,
    {"region", "region of the cluster", "", "[a-z]{2}(-[a-z]+)+-[0-9]", "a region such as us-east-1"},
    {"accountId", "AWS account of the cluster", "", "[0-9]{12}", "12 digits"},
    {"partition", "aws, aws-cn or aws-us-gov; empty: that of the region", "", "(aws|aws-cn|aws-us-gov)?",
     "aws, aws-cn or aws-us-gov"},
    kOidcProvider,
    kNamespace,
    kServiceAccount,
    kQueueName,
    kNodeRole,
    {"launchTemplateId", "launch template that an AWSNodeTemplate names; empty: none", "", "(lt-[0-9a-f]+)?",
     "an id such as lt-0123456789abcdef0"},
};

std::string_view partition_of(std::string_view region) {
  if (region.starts_with("cn-")) return "aws-cn";
  return region.starts_with("us-gov-") ? "aws-us-gov" : "aws";
}

// The key on which a document depends; empty: none beside the required ones.
std::string_view needed_by(std::string_view document) {
  if (document == "controller-trust-policy-irsa") return "oidcProvider";
  return document == "controller-policy-launch-template" ? "launchTemplateId" : "";
}

Result<Values> placeholders(const Values& set) {
  IamPlaceholders place;
  place.region = set.at("region");
  place.partition = partition_of(place.region);
  if (const std::string& given = set.at("partition"); !given.empty() && given != place.partition) {
    return fail(Code::kInvalid, "--set partition: " + given + " does not have the region " + place.region);
  }
  place.url_suffix = place.partition == "aws-cn" ? "amazonaws.com.cn" : "amazonaws.com";
  place.account = set.at("accountId");
  place.cluster_name = set.at("clusterName");
  place.launch_template_id = set.at("launchTemplateId");
  place.namespace_name = set.at("namespace");
  place.node_role = set.at("nodeRole");
  place.oidc_provider = set.at("oidcProvider");
  place.queue = set.at("queueName");
  place.service_account = set.at("serviceAccount");
  return place.values();
}

Result<std::string> render_one(const std::string& wanted, const Values& set, const Values& place) {
  std::vector<std::string> known;
  for (const auto& [name, text] : iam_files()) {
    known.emplace_back(name);
    if (name != wanted) continue;
    const std::string_view key = needed_by(name);
    if (key.empty() || !set.at(std::string(key)).empty()) return substitute(text, place);
    return fail(Code::kInvalid, "--only " + wanted + ": it depends on --set " + std::string(key) + "=…");
  }
  return fail(Code::kInvalid, "--only: unknown document " + wanted + "; known: " + join(known, ", "));
}

}  // namespace

Result<std::string> render_iam(const Request& request) {
  const Values set = TRY(read_values(kIamKeys, request.settings));
  const Values place = TRY(placeholders(set));
  if (!request.only.empty()) return render_one(request.only, set, place);
  json::object all;
  for (const auto& [name, text] : iam_files()) {
    const std::string_view key = needed_by(name);
    if (!key.empty() && set.at(std::string(key)).empty()) continue;
    all[name] = TRY_IN("deploy/iam/" + std::string(name) + ".json", json::parse(substitute(text, place)));
  }
  return json::to_pretty(all);
}

}  // namespace tenon::cli::install
