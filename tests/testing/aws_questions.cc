// SPDX-License-Identifier: Apache-2.0
#include "testing/aws_questions.h"

#include <regex>
#include <set>

#include "awssim/account/wire.h"
#include "awssim/account/world.h"
#include "base/check.h"
#include "base/text.h"
#include "json/json.h"

namespace tenon::testing {

struct AwsMemory {
  struct Template {
    awssim::Tags tags;
    awssim::Params data;
  };
  std::map<std::string, Template> templates;                             // by name
  std::map<std::string, std::string> template_names;                     // by id
  std::map<std::string, awssim::Tags> instances;                         // by id
  std::map<std::string, std::pair<std::string, awssim::Tags>> profiles;  // path and tags by name
  std::map<std::string, std::string> roles;                              // of profiles
};

namespace {

using awssim::Params;
using awssim::Tags;

constexpr std::string_view kRegion = "us-east-1";

std::string arn(std::string_view service, const std::string& resource, bool regional = true, bool owned = true) {
  return "arn:aws:" + std::string(service) + ":" + std::string(regional ? kRegion : "") + ":" +
         std::string(owned ? awssim::kAccount : "") + ":" + resource;
}

std::string service_of(const http::Request& request) {  // Credential=KEY/DATE/REGION/SERVICE/aws4_request
  const auto scope = split(request.headers.get("Authorization"), '/');
  return scope.size() > 3 ? std::string(scope[3]) : "";
}

class AskingTransport final : public http::Transport {
 public:
  AskingTransport(std::unique_ptr<http::Transport> inner, std::shared_ptr<AwsMemory> memory,
                  std::function<void(const IamQuestion&)> ask)
      : inner_(std::move(inner)), memory_(std::move(memory)), ask_(std::move(ask)) {}

  Result<http::Response> send(const http::Request& request, const std::stop_token& stop) override {
    const Params params = Params::parse(request.body);
    service_ = service_of(request);
    judge(request, params);
    auto response = inner_->send(request, stop);
    if (response && params.get("Action") == "CreateFleet") remember_instances(params, response->body);
    if (response && params.get("Action") == "CreateLaunchTemplate") remember_id(params, response->body);
    return response;
  }
  Status stream(const http::Request& request, http::StreamSink& sink, const std::stop_token& stop) override {
    return inner_->stream(request, sink, stop);
  }

 private:
  using Context = std::map<std::string, std::vector<std::string>>;

  void ask(const std::string& action, std::string resource, Context context = {}) {
    context["aws:requestedregion"] = {std::string(kRegion)};
    ask_({action, std::move(resource), std::move(context)});
  }

  static Context tagged(std::string_view prefix, const Tags& tags, Context context = {}) {
    for (const auto& [key, value] : tags) context[to_lower(std::string(prefix) + key)] = {value};
    return context;
  }
  static Context requested(const Tags& tags) {
    Context context = tagged("aws:requesttag/", tags);
    for (const auto& [key, value] : tags) context["aws:tagkeys"].push_back(key);
    return context;
  }

  void judge(const http::Request& request, const Params& params) {
    const std::string action(params.get("Action"));
    if (service_ == "ec2") return judge_ec2(action, params);
    if (service_ == "iam") return judge_iam(action, params);
    if (service_ == "sts") return;  // GetCallerIdentity needs no permission
    const auto url = http::parse_url(request.url);
    CHECK(url.has_value(), "the transport sends absolute addresses");
    if (service_ == "eks") return ask("eks:DescribeCluster", arn("eks", "cluster" + path_tail(url->path)));
    if (service_ == "arc-zonal-shift") return ask("arc-zonal-shift:GetManagedResource", "*");
    const std::string name(cut(request.headers.get("X-Amz-Target"), '.').second);
    const auto body = json::parse(request.body);
    CHECK(body.has_value(), "JSON services get JSON");
    if (service_ == "ssm")
      return ask("ssm:" + name, arn("ssm", "parameter" + std::string(json::string_at(*body, {"Name"})), true, false));
    if (service_ == "pricing") return ask("pricing:" + name, "*");
    CHECK(service_ == "sqs", "a service without a rule here");
    std::string queue(json::string_at(*body, {"QueueName"}));
    if (queue.empty()) queue = path_tail(json::string_at(*body, {"QueueUrl"})).substr(1);
    // The permission of a batch is that of its entries.
    ask("sqs:" + (name == "DeleteMessageBatch" ? "DeleteMessage" : name), arn("sqs", queue));
  }

  static std::string path_tail(std::string_view path) { return std::string(path.substr(path.rfind('/'))); }

  void judge_ec2(const std::string& action, const Params& params) {
    if (action.starts_with("Describe")) return ask("ec2:" + action, "*");
    if (action == "CreateLaunchTemplate") return create_template(params);
    if (action == "CreateFleet" || action == "RunInstances") return launch(action, params);
    if (action == "DeleteLaunchTemplate") {
      std::string name(params.get("LaunchTemplateName"));
      if (name.empty()) name = memory_->template_names[std::string(params.get("LaunchTemplateId"))];
      return ask("ec2:" + action, arn("ec2", "launch-template/" + name), resource(memory_->templates[name].tags));
    }
    const bool tags = action == "CreateTags";
    CHECK(tags || action == "TerminateInstances", "an action of EC2 without a rule here");
    for (const std::string& id : params.list(tags ? "ResourceId" : "InstanceId")) {
      const Context context = tags ? requested(params.tags("Tag")) : Context();
      ask("ec2:" + action, arn("ec2", "instance/" + id), tagged("aws:resourcetag/", memory_->instances[id], context));
    }
  }

  static Context resource(const Tags& tags) { return tagged("aws:resourcetag/", tags); }

  static Tags tags_for(const Params& params, std::string_view type) {
    for (const Params& one : params.structs("TagSpecification")) {
      if (one.get("ResourceType") == type) return one.tags("Tag");
    }
    return {};
  }

  // Whoever creates a resource with tags needs CreateTags on it, too.
  void create(const std::string& action, const std::string& type, const Tags& tags) {
    const std::string target = arn("ec2", type + "/*");
    ask("ec2:" + action, target, requested(tags));
    if (tags.empty()) return;
    Context context = requested(tags);
    context["ec2:createaction"] = {action};
    ask("ec2:CreateTags", target, std::move(context));
  }

  void create_template(const Params& params) {
    const Tags tags = tags_for(params, "launch-template");
    create("CreateLaunchTemplate", "launch-template", tags);
    memory_->templates[std::string(params.get("LaunchTemplateName"))] = {tags, params.sub("LaunchTemplateData")};
  }

  // CreateFleet of type instant is judged as a fleet, and each launch in it as RunInstances.
  void launch(const std::string& action, const Params& params) {
    std::vector<std::string> names;
    if (action == "CreateFleet") {
      create(action, "fleet", tags_for(params, "fleet"));
      for (const Params& config : params.structs("LaunchTemplateConfigs"))
        names.emplace_back(config.get("LaunchTemplateSpecification.LaunchTemplateName"));
    } else {
      names.emplace_back(params.get("LaunchTemplate.LaunchTemplateName"));
    }
    const bool spot = params.get("TargetCapacitySpecification.DefaultTargetCapacityType") == "spot";
    for (const std::string& name : names) {
      const AwsMemory::Template& one = memory_->templates[name];
      const Context owned = resource(one.tags);
      ask("ec2:" + action, arn("ec2", "launch-template/" + name), owned);
      if (action == "CreateFleet") ask("ec2:RunInstances", arn("ec2", "launch-template/" + name), owned);
      use_existing(action, one);
      create_all(action, params, one, spot);
      pass_role(std::string(one.data.get("IamInstanceProfile.Name")));
    }
  }

  void use_existing(const std::string& action, const AwsMemory::Template& one) {
    std::set<std::string> types = {"security-group", "subnet"};
    if (one.data.has("Placement.GroupId")) types.insert("placement-group");
    if (one.data.has("CapacityReservationSpecification.CapacityReservationTarget.CapacityReservationId"))
      types.insert("capacity-reservation");
    for (const std::string& name : std::set<std::string>{action, "RunInstances"}) {
      for (const std::string& type : types) ask("ec2:" + name, arn("ec2", type + "/*"));
      for (const std::string type : {"image", "snapshot"}) ask("ec2:" + name, arn("ec2", type + "/*", true, false));
    }
  }

  void create_all(const std::string& action, const Params& params, const AwsMemory::Template& one, bool spot) {
    for (const std::string type : {"instance", "network-interface", "spot-instances-request", "volume"}) {
      if (type == "spot-instances-request" && !spot) continue;
      Tags tags = tags_for(one.data, type);  // the request's tags override those of the template
      for (const auto& [key, value] : tags_for(params, type)) tags.insert_or_assign(key, value);
      create("RunInstances", type, tags);
      if (action == "CreateFleet") ask("ec2:CreateFleet", arn("ec2", type + "/*"), requested(tags));
    }
  }

  void pass_role(const std::string& profile) {
    const auto role = memory_->roles.find(profile);
    if (role == memory_->roles.end()) return;  // the profile of a user
    ask("iam:PassRole", arn("iam", "role/" + role->second, false), {{"iam:passedtoservice", {"ec2.amazonaws.com"}}});
  }

  void judge_iam(const std::string& action, const Params& params) {
    if (action == "ListInstanceProfiles") return ask("iam:" + action, "*");
    const std::string name(params.get("InstanceProfileName"));
    if (action == "CreateInstanceProfile") {
      const std::string path(params.has("Path") ? params.get("Path") : "/");
      memory_->profiles[name] = {path, params.tags("Tags.member")};
    }
    const auto& [path, tags] = memory_->profiles[name];
    const std::string target = arn("iam", "instance-profile" + (path.empty() ? "/" : path) + name, false);
    if (action == "CreateInstanceProfile" || action == "TagInstanceProfile") {
      ask("iam:" + action, target, requested(params.tags("Tags.member")));
      if (action == "CreateInstanceProfile" && !tags.empty())
        ask("iam:TagInstanceProfile", target, requested(params.tags("Tags.member")));
      return;
    }
    ask("iam:" + action, target, resource(tags));
    if (action != "AddRoleToInstanceProfile") return;
    memory_->roles[name] = params.get("RoleName");
    pass_role(name);
  }

  void remember_id(const Params& params, const std::string& body) {
    static const std::regex kId("lt-[0-9a-f]{17}");
    std::smatch id;
    if (std::regex_search(body, id, kId)) memory_->template_names[id.str()] = params.get("LaunchTemplateName");
  }

  void remember_instances(const Params& params, const std::string& body) {
    static const std::regex kId("i-[0-9a-f]{17}");
    Tags tags = tags_for(params, "instance");
    for (std::sregex_iterator at(body.begin(), body.end(), kId), end; at != end; ++at)
      memory_->instances[at->str()] = tags;
  }

  const std::unique_ptr<http::Transport> inner_;
  const std::shared_ptr<AwsMemory> memory_;
  const std::function<void(const IamQuestion&)> ask_;
  std::string service_;  // of the request in judgement
};

}  // namespace

std::shared_ptr<AwsMemory> make_aws_memory() { return std::make_shared<AwsMemory>(); }

std::unique_ptr<http::Transport> ask_iam(std::unique_ptr<http::Transport> inner, std::shared_ptr<AwsMemory> memory,
                                         std::function<void(const IamQuestion&)> ask) {
  return std::make_unique<AskingTransport>(std::move(inner), std::move(memory), std::move(ask));
}

}  // namespace tenon::testing
