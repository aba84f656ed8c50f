// SPDX-License-Identifier: Apache-2.0
#include "awssim/testing/account.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace tenon::awssim::testing {

Account::Account(FakeAwsOptions options)
    : runtime(runtime::make_sim_runtime({})), aws(make_fake_aws(*runtime, std::move(options))), call(*aws, *runtime) {}

std::string Account::subnet_in(const std::string& zone) {
  return call.ec2("DescribeSubnets", filter(1, "availability-zone", {zone})).first("//subnetSet/item/subnetId");
}

std::string Account::image(const std::string& architecture) {
  std::string name = "amazon-eks-node-al2023-" + architecture + "-standard-1.34-*";
  return call.ec2("DescribeImages", filter(1, "name", {name})).first("//imagesSet/item/imageId");
}

std::string Account::security_group() {
  return call.ec2("DescribeSecurityGroups", filter(1, "tag:karpenter.sh/discovery", {"demo"})).first("//groupId");
}

void Account::create_template(const std::string& name, const std::string& image_id, const Form& more) {
  Form form{{"LaunchTemplateName", name},
            {"LaunchTemplateData.ImageId", image_id},
            {"LaunchTemplateData.BlockDeviceMapping.1.DeviceName", "/dev/xvda"},
            {"LaunchTemplateData.BlockDeviceMapping.1.Ebs.VolumeSize", "30"},
            {"LaunchTemplateData.NetworkInterface.1.DeviceIndex", "0"},
            {"LaunchTemplateData.NetworkInterface.1.SecurityGroupId.1", security_group()},
            {"LaunchTemplateData.TagSpecification.1.ResourceType", "network-interface"},
            {"LaunchTemplateData.TagSpecification.1.Tag.1.Key", "team"},
            {"LaunchTemplateData.UserData", base64_encode("MIME-Version: 1.0\n")},
            {"TagSpecification.1.ResourceType", "launch-template"},
            {"TagSpecification.1.Tag.1.Key", "eks:eks-cluster-name"},
            {"TagSpecification.1.Tag.1.Value", "demo"}};
  Answer answer = call.ec2("CreateLaunchTemplate", form + more);
  ASSERT_EQ(answer.status, 200) << answer.body;
}

Form Account::fleet(const std::string& template_name, const std::vector<FleetOffer>& offers, const std::string& kind,
                    int capacity) {
  Form form{{"Type", "instant"},
            {"TargetCapacitySpecification.TotalTargetCapacity", std::to_string(capacity)},
            {"TargetCapacitySpecification.DefaultTargetCapacityType", kind},
            {"LaunchTemplateConfigs.1.LaunchTemplateSpecification.LaunchTemplateName", template_name},
            {"LaunchTemplateConfigs.1.LaunchTemplateSpecification.Version", "$Latest"},
            {"TagSpecification.1.ResourceType", "instance"},
            {"TagSpecification.1.Tag.1.Key", "karpenter.sh/nodepool"},
            {"TagSpecification.1.Tag.1.Value", "default"},
            {"TagSpecification.1.Tag.2.Key", "empty"}};
  if (kind == "spot") {
    form.emplace_back("SpotOptions.AllocationStrategy", "price-capacity-optimized");
  } else {
    form.emplace_back("OnDemandOptions.AllocationStrategy", "lowest-price");
  }
  for (size_t i = 0; i < offers.size(); ++i) {
    std::string prefix = "LaunchTemplateConfigs.1.Overrides." + std::to_string(i + 1) + ".";
    form.emplace_back(prefix + "InstanceType", offers[i].type);
    form.emplace_back(prefix + "SubnetId", subnet_in(offers[i].zone));
    form.emplace_back(prefix + "AvailabilityZone", offers[i].zone);
    if (!offers[i].priority.empty()) form.emplace_back(prefix + "Priority", offers[i].priority);
  }
  return form;
}

FakeInstance Account::instance(const std::string& id) const {
  for (const FakeInstance& instance : aws->instances())
    if (instance.id == id) return instance;
  ADD_FAILURE() << "no instance " << id;
  return {};
}

}  // namespace tenon::awssim::testing
