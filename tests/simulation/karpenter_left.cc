// SPDX-License-Identifier: Apache-2.0
#include "simulation/karpenter_left.h"

#include <algorithm>
#include <fstream>
#include <regex>
#include <sstream>

#include "awssim/testing/caller.h"
#include "base/check.h"
#include "json/json.h"
#include "json/yaml.h"

namespace tenon::simulation {
namespace {

using json::value;
constexpr const char* kRecording = TENON_SOURCE_DIR "/tests/simulation/karpenter_left/karpenter.yaml";
const std::regex kTime(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)");

const kubesim::Resource kClaims{"karpenter.sh", "nodeclaims"}, kNodes{"", "nodes"}, kPods{"", "pods"},
    kClasses{"karpenter.k8s.aws", "ec2nodeclasses"};
const std::map<std::string, kubesim::Resource, std::less<>> kResources{{"EC2NodeClass", kClasses},
                                                                       {"NodePool", {"karpenter.sh", "nodepools"}},
                                                                       {"Deployment", {"apps", "deployments"}},
                                                                       {"ReplicaSet", {"apps", "replicasets"}},
                                                                       {"NodeClaim", kClaims},
                                                                       {"Node", kNodes},
                                                                       {"Pod", kPods}};

std::string text_at(const value& document, std::initializer_list<std::string_view> path) {
  return std::string(json::string_at(document, path));
}

std::vector<kubesim::Object> all(cli::SimWorld& world, const kubesim::Resource& resource) {
  const auto listed = world.cluster().api().list(resource, "");
  CHECK(listed.has_value(), resource.plural);
  return listed->items;
}

bool is_instance(const value& document) { return json::string_at(document, {"kind"}) == "Instance"; }

}  // namespace

class KarpenterLeft::LogOfDecisions : public log::Sink {
 public:
  explicit LogOfDecisions(KarpenterLeft& cluster) : cluster_(cluster) {}
  bool writes(log::Level level) const override { return level != log::Level::kDebug; }
  void write(const log::Line& line) override { cluster_.decided_.push_back(log::plain_text(line)); }

 private:
  KarpenterLeft& cluster_;
};

KarpenterLeft::KarpenterLeft(const cli::Decisions& decisions, std::function<void(value&)> change)
    : change_(std::move(change)) {
  std::ostringstream read;
  read << std::ifstream(kRecording).rdbuf();
  const std::string text = read.str();
  auto documents = json::parse_yaml(text);
  CHECK(documents.has_value(), kRecording);
  recorded_ = std::move(*documents);
  for (std::sregex_iterator at(text.begin(), text.end(), kTime), end; at != end; ++at)
    newest_ = std::max(newest_, *parse_rfc3339(at->str()));
  std::set<std::string> types;
  for (const value& document : recorded_)
    if (is_instance(document)) types.insert(text_at(document, {"InstanceType"}));
  auto world = cli::SimWorld::make({.decisions = decisions,
                                    .log = log::Logger(std::make_shared<LogOfDecisions>(*this)),
                                    .instance_types = {types.begin(), types.end()},
                                    .made = [this](cli::SimWorld& made) { fill(made); }});
  CHECK(world.has_value(), world ? "" : world.error().message);
  world_ = std::move(*world);
}

void KarpenterLeft::fill(cli::SimWorld& world) {
  for (const value& document : recorded_)
    if (json::string_at(document, {"kind"}) == "EC2NodeClass") map_class(world, document);
  for (const value& document : recorded_)
    if (is_instance(document)) make_instance(world, document);
  for (const value& document : recorded_)
    if (!is_instance(document)) create(world, document);
}

// The embedded AWS has a subnet in each zone, and one security group; both have the tag that the class selects. Its
// images get the tag.
void KarpenterLeft::map_class(cli::SimWorld& world, const value& node_class) {
  awssim::testing::Caller caller(world.cluster().fake_aws(), world.sim());
  for (const value& subnet : json::array_at(node_class, {"status", "subnets"}))
    names_[text_at(subnet, {"id"})] = caller
                                          .ec2("DescribeSubnets", {{"Filter.1.Name", "availability-zone"},
                                                                   {"Filter.1.Value.1", text_at(subnet, {"zone"})}})
                                          .first("//subnetId");
  for (const value& group : json::array_at(node_class, {"status", "securityGroups"}))
    names_[text_at(group, {"id"})] = caller.ec2("DescribeSecurityGroups").first("//securityGroupInfo/item/groupId");
  for (const value& image : json::array_at(node_class, {"status", "amis"})) {
    const std::string arch = json::to_string(image).find("arm64") == std::string::npos ? "x86_64" : "arm64";
    const std::string own = caller
                                .ec2("DescribeImages", {{"Filter.1.Name", "architecture"},
                                                        {"Filter.1.Value.1", arch},
                                                        {"Filter.2.Name", "name"},
                                                        {"Filter.2.Value.1", "amazon-eks-node-al2023-*"}})
                                .first("//imageId");
    names_[text_at(image, {"id"})] = own;
    caller.ec2("CreateTags", {{"ResourceId.1", own}, {"Tag.1.Key", "karpenter.sh/discovery"}, {"Tag.1.Value", "demo"}});
  }
}

void KarpenterLeft::make_instance(cli::SimWorld& world, const value& instance) {
  awssim::testing::Caller caller(world.cluster().fake_aws(), world.sim());
  awssim::testing::Form form{
      {"InstanceType", text_at(instance, {"InstanceType"})},
      {"ImageId", names_.at(text_at(instance, {"ImageId"}))},
      {"SubnetId", names_.at(text_at(instance, {"SubnetId"}))},
      {"SecurityGroupId.1", caller.ec2("DescribeSecurityGroups").first("//securityGroupInfo/item/groupId")},
      {"MinCount", "1"},
      {"MaxCount", "1"},
      {"TagSpecification.1.ResourceType", "instance"}};
  int number = 0;
  for (const auto& tag : json::object_at(instance, {"Tags"})) {
    if (tag.key().starts_with("aws:")) continue;  // AWS sets these itself
    const std::string prefix = "TagSpecification.1.Tag." + std::to_string(++number);
    form.emplace_back(prefix + ".Key", tag.key());
    form.emplace_back(prefix + ".Value", tag.value().as_string());
  }
  const auto answer = caller.ec2("RunInstances", std::move(form));
  CHECK(answer.status == 200, answer.body);
  names_[text_at(instance, {"InstanceId"})] = answer.first("//instanceId");
}

// Returns the text with the names of the embedded servers, and with its times moved to before `now`.
std::string KarpenterLeft::translated(std::string text, Instant now) const {
  for (const auto& [recorded, own] : names_)
    for (size_t at = 0; (at = text.find(recorded, at)) != std::string::npos; at += own.size())
      text.replace(at, recorded.size(), own);
  std::string moved;
  auto rest = text.cbegin();
  for (std::sregex_iterator at(text.begin(), text.end(), kTime), end; at != end; ++at) {
    moved.append(rest, (*at)[0].first);
    moved += format_rfc3339(now - (newest_ - *parse_rfc3339(at->str())));
    rest = (*at)[0].second;
  }
  return moved.append(rest, text.cend());
}

void KarpenterLeft::create(cli::SimWorld& world, value document) {
  const std::string name = text_at(document, {"metadata", "name"}), ns = text_at(document, {"metadata", "namespace"}),
                    uid = text_at(document, {"metadata", "uid"});
  document = *json::parse(translated(json::to_string(document), world.sim().now()));
  if (change_) change_(document);
  const kubesim::Resource& resource = kResources.find(json::string_at(document, {"kind"}))->second;
  const value status = *json::find(document, {"status"});
  auto& metadata = document.as_object()["metadata"].as_object();
  for (const char* key : {"uid", "creationTimestamp", "generation"}) metadata.erase(key);
  const auto created = world.cluster().api().create(resource, ns, std::move(document));
  CHECK(created.has_value(), created ? "" : name + ": " + created.error().message);
  names_[uid] = text_at(**created, {"metadata", "uid"});
  const auto patched = world.cluster().api().merge_patch(resource, ns, name, {{"status", status}}, "status");
  CHECK(patched.has_value(), patched ? "" : name + ": " + patched.error().message);
}

void KarpenterLeft::scale(int replicas) {
  const auto scaled = world_->cluster().api().merge_patch({"apps", "deployments"}, "default", "inflate",
                                                          {{"spec", {{"replicas", replicas}}}});
  CHECK(scaled.has_value(), scaled ? "" : scaled.error().message);
}

std::set<std::string> KarpenterLeft::inventory() {
  std::set<std::string> found;
  for (const auto& resource : {kClaims, kNodes, kPods})
    for (const auto& object : all(*world_, resource))
      found.insert(resource.plural + " " + text_at(*object, {"metadata", "uid"}));
  for (const auto& instance : world_->cluster().fake_aws().instances())
    if (instance.state == "pending" || instance.state == "running") found.insert("instance " + instance.id);
  return found;
}

std::vector<std::string> KarpenterLeft::condemned() {
  std::vector<std::string> found;
  for (const auto& claim : all(*world_, kClaims))
    for (const value& condition : json::array_at(*claim, {"status", "conditions"})) {
      const std::string_view type = json::string_at(condition, {"type"});
      if ((type == "Drifted" || type == "DisruptionReason") && json::string_at(condition, {"status"}) == "True")
        found.push_back(text_at(*claim, {"metadata", "name"}) + ": " + std::string(type) + " " +
                        text_at(condition, {"reason"}));
    }
  return found;
}

std::vector<std::string> KarpenterLeft::claim_names() {
  std::vector<std::string> names;
  for (const auto& claim : all(*world_, kClaims)) names.push_back(text_at(*claim, {"metadata", "name"}));
  return names;
}

}  // namespace tenon::simulation
