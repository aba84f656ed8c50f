// A node class and claims that moto supports.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cloud/aws_provider/aws_provider.h"
#include "model/labels.h"
#include "moto/moto_account.h"

namespace tenon::peers {

class MotoProvider : public MotoTest {
 protected:
  // moto computes another signature than AWS for REST paths, and the provider calls EKS about the cluster.
  MotoProvider() { check_signatures(false); }
  std::unique_ptr<cloud::Provider> make() const { return cloud::make_aws_provider(*client_, {.cluster_name = "peer"}); }
  static model::NodeClass some_class() {
    model::NodeClass out;
    out.meta.name = "default";
    out.meta.uid = "0aa0-nodeclass";
    out.meta.generation = 1;
    out.role = "KarpenterNodeRole-peer";
    out.ami_family = "AL2023";
    const model::SelectorTerm discovery{.tags = {{"karpenter.sh/discovery", "peer"}}};
    out.ami_selector_terms = out.subnet_selector_terms = out.security_group_selector_terms = {discovery};
    out.tags = {{"team", "a"}};
    return out;
  }
  static model::NodeClaim some_claim(const std::string& name, const std::string& capacity_type) {
    model::NodeClaim claim;
    claim.meta.name = name;
    claim.meta.uid = "uid-of-" + name;
    claim.meta.labels = {{std::string(model::kLabelNodePool), "default"}};
    claim.node_class_ref = {"karpenter.k8s.aws", "EC2NodeClass", "default"};
    claim.requirements = {{std::string(model::kLabelInstanceType), model::Operator::kIn, {"m5.large"}, {}},
                          {std::string(model::kLabelCapacityType), model::Operator::kIn, {capacity_type}, {}},
                          {std::string(model::kLabelNodePool), model::Operator::kIn, {"default"}, {}}};
    claim.requests = {{"cpu", 1000}, {"memory", int64_t{1} << 30}};
    return claim;
  }
  static std::string conditions(const model::NodeClass& node_class) {
    std::string text;
    for (const model::Condition& each : node_class.conditions) {
      text += each.type + "=" + each.status + " " + each.reason + " " + each.message + "\n";
    }
    return text;
  }
};

}  // namespace tenon::peers
