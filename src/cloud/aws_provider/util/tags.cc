// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/util/tags.h"

#include "base/text.h"
#include "model/generations.h"
#include "model/labels.h"

namespace tenon::cloud {

std::string ownership_tag(std::string_view cluster) { return "kubernetes.io/cluster/" + std::string(cluster); }

aws::Tags instance_tags(const model::NodeClass& node_class, std::string_view cluster, std::string_view pool) {
  aws::Tags tags = node_class.tags;
  tags[ownership_tag(cluster)] = "owned";
  const auto [pool_key, pool_name] = model::pool_label(pool);
  tags[std::string(pool_key)] = pool_name;
  if (model::is_provisioner(pool))
    tags.try_emplace(std::string(kTagName), std::string(pool_key) + "/" + std::string(pool_name));
  tags[std::string(kTagCluster)] = cluster;
  tags[std::string(model::kLabelNodeClass)] = node_class.meta.name;
  return tags;
}

aws::Tags naming_tags(const model::NodeClaim& claim, std::string_view cluster) {
  aws::Tags tags{{std::string(kTagNodeClaim), claim.meta.name}, {std::string(kTagCluster), std::string(cluster)}};
  if (!model::is_provisioner(claim.pool())) tags[std::string(kTagName)] = claim.node_name;
  return tags;
}

aws::Tags profile_tags(const model::NodeClass& node_class, std::string_view cluster, std::string_view region) {
  aws::Tags tags = node_class.tags;
  tags[ownership_tag(cluster)] = "owned";
  tags[std::string(kTagCluster)] = cluster;
  tags[std::string(model::kLabelNodeClass)] = node_class.meta.name;
  tags[std::string(model::kLabelRegion)] = region;
  return tags;
}

std::vector<std::string> restricted_tags(const model::StringMap& tags) {
  std::vector<std::string> found;
  for (const auto& [key, value] : tags) {
    if (key == kTagCluster || key.starts_with("kubernetes.io/cluster") || key == model::kLabelNodePool ||
        key == model::kLabelProvisioner || key == kTagNodeClaim || key == model::kLabelNodeClass) {
      found.push_back(key);
    }
  }
  return found;
}

std::optional<ProviderId> parse_provider_id(std::string_view text) {
  constexpr std::string_view kScheme = "aws:///";
  if (!text.starts_with(kScheme)) return std::nullopt;
  const auto [zone, id] = cut(text.substr(kScheme.size()), '/');
  if (zone.empty() || !id.starts_with("i-") || id.find('/') != std::string_view::npos) return std::nullopt;
  return ProviderId{std::string(zone), std::string(id)};
}

std::string format_provider_id(std::string_view zone, std::string_view instance_id) {
  return "aws:///" + std::string(zone) + "/" + std::string(instance_id);
}

}  // namespace tenon::cloud
