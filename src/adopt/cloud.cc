// SPDX-License-Identifier: Apache-2.0
#include "adopt/cloud.h"

#include "adopt/inspect.h"
#include "adopt/permissions.h"
#include "base/text.h"
#include "json/json.h"

namespace tenon::adopt {
namespace {

using json::value;

// The value of a variable or flag of Karpenter's container; empty if it has none of its own.
std::string setting(const value& container, std::string_view variable, std::string_view flag) {
  for (const value& one : json::array_at(container, {"env"})) {
    if (json::string_at(one, {"name"}) == variable) return std::string(json::string_at(one, {"value"}));
  }
  const json::array& arguments = json::array_at(container, {"args"});
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].is_string()) continue;
    const auto [name, given] = cut(arguments[i].get_string(), '=');
    if (name != flag) continue;
    const bool next = given.empty() && i + 1 < arguments.size() && arguments[i + 1].is_string();
    return std::string(next ? std::string_view(arguments[i + 1].get_string()) : given);
  }
  return "";
}

Finding judge_role(const CloudNames& names, const CloudAnswers& answers, const std::set<std::string>& wanted) {
  if (names.role_arn.empty()) {
    return {Level::kUnknown, "IAM role of the controller",
            "no service account of Karpenter names a role: compare the policies of its role (e.g. a pod identity "
            "association) with those of `tenon install iam`"};
  }
  const std::string object = "role " + names.role_arn;
  if (!answers.role) return {Level::kUnknown, object, "is not asked: " + answers.not_asked};
  if (!*answers.role) return {Level::kUnknown, object, answers.role->error().message};
  const std::set<std::string> lacking = lacking_actions((*answers.role)->policies, wanted);
  if (!lacking.empty()) {
    return {Level::kChanges, object,
            "no policy of it allows " + join(std::vector<std::string>(lacking.begin(), lacking.end()), ", ") +
                ": attach the policy that `tenon install iam` prints"};
  }
  if ((*answers.role)->bounded)
    return {Level::kUnknown, object, "allows each action, but has a permissions boundary, which is not judged"};
  return {Level::kOk, object, "allows each action; resources and conditions are not judged"};
}

Finding judge_queue(const CloudNames& names, const CloudAnswers& answers) {
  if (names.queue.empty())
    return {Level::kOk, "interruption queue", "Karpenter has none: interruptions are not handled before they happen"};
  const std::string object = "queue " + names.queue;
  if (!answers.queue) return {Level::kUnknown, object, "is not asked: " + answers.not_asked};
  if (*answers.queue) return {Level::kOk, object, "exists"};
  if (answers.queue->error().code == Code::kNotFound)
    return {Level::kChanges, object, "does not exist: no interruption is announced"};
  return {Level::kUnknown, object, answers.queue->error().message};
}

}  // namespace

CloudNames cloud_names(const Observed& observed) {
  CloudNames names;
  for (const value& deployment : observed.deployments) {
    if (!is_karpenter(deployment)) continue;
    for (const value& container : json::array_at(deployment, {"spec", "template", "spec", "containers"})) {
      const std::string queue = setting(container, "INTERRUPTION_QUEUE", "--interruption-queue");
      if (!queue.empty()) names.queue = queue;
    }
  }
  for (const value& account : observed.service_accounts) {
    const std::string arn(json::string_at(account, {"metadata", "annotations", "eks.amazonaws.com/role-arn"}));
    if (!arn.empty()) names.role_arn = arn;
  }
  return names;
}

std::string role_name(std::string_view arn) {
  const std::vector<std::string_view> parts = split(arn, ':');
  if (parts.size() != 6 || parts[2] != "iam" || !parts[5].starts_with("role/")) return "";
  return std::string(parts[5].substr(parts[5].rfind('/') + 1));
}

void inspect_cloud(const Observed& observed, const KnownSettings& known, Report& report) {
  const CloudNames names = cloud_names(observed);
  report.findings.push_back(judge_role(names, observed.cloud, known.actions));
  report.findings.push_back(judge_queue(names, observed.cloud));
}

}  // namespace tenon::adopt
