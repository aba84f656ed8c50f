// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/resources/security_groups.h"

#include <map>

#include "cloud/aws_provider/resources/amis.h"

namespace tenon::cloud {

Result<std::vector<model::ResolvedSecurityGroup>> SecurityGroups::resolve(const model::NodeClass& node_class,
                                                                          const std::stop_token& stop) {
  const std::string key =
      node_class.meta.name + "/" + node_class.meta.uid + "/" + std::to_string(node_class.meta.generation);
  if (auto known = cache_.find(key)) return std::move(*known);
  std::map<std::string, std::string> found;  // id → name
  const auto ask = [&](const aws::Filters& filters) -> Status {
    for (const aws::SecurityGroup& group : TRY(ec2_.describe_security_groups(filters, stop)))
      found[group.id] = group.name;
    return ok();
  };
  std::vector<std::string> ids, names;
  for (const model::SelectorTerm& term : node_class.security_group_selector_terms) {
    if (!term.id.empty()) {
      ids.push_back(term.id);
    } else if (!term.name.empty()) {
      names.push_back(term.name);
    } else {
      TRY(ask(tag_filters(term.tags)));
    }
  }
  if (!ids.empty()) TRY(ask({{"group-id", ids}}));
  if (!names.empty()) TRY(ask({{"group-name", names}}));
  std::vector<model::ResolvedSecurityGroup> groups;
  for (const auto& [id, name] : found) groups.push_back({id, name});
  if (!groups.empty()) cache_.put(key, groups);
  return groups;
}

}  // namespace tenon::cloud
