// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/front/reviews.h"

#include "json/json.h"
#include "kubesim/apiserver/admit/metadata.h"

namespace tenon::kubesim::apiserver {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

object user_info(const std::string& name, const std::vector<std::string>& groups) {
  array list;
  for (const std::string& group : groups) list.emplace_back(group);
  return {{"username", name}, {"groups", std::move(list)}};
}

object review_token(const value& body, const ApiServerOptions& options) {
  const std::string_view token = json::string_at(body, {"spec", "token"});
  for (const ApiServerOptions::Token& known : options.tokens) {
    if (known.token == token) return {{"authenticated", true}, {"user", user_info(known.user, known.groups)}};
  }
  return {{"user", object()}, {"error", "unknown token"}};
}

object everything_allowed() {
  array star{value("*")};
  array resource_rules, other_rules;
  resource_rules.push_back(object{{"verbs", star}, {"apiGroups", star}, {"resources", star}});
  other_rules.push_back(object{{"verbs", star}, {"nonResourceURLs", star}});
  return {{"resourceRules", std::move(resource_rules)},
          {"nonResourceRules", std::move(other_rules)},
          {"incomplete", false}};
}

}  // namespace

Answer<value> Reviewer::review(const ResourceInfo& info, value body) const {
  TRY_API(check_type(info, body));
  object status{{"allowed", true}};
  if (info.kind == "SelfSubjectReview") status = {{"userInfo", user_info(user, groups)}};
  if (info.kind == "TokenReview") status = review_token(body, options);
  if (info.kind == "SelfSubjectRulesReview") status = everything_allowed();
  if (info.kind == "Binding") return refuse(bad_request("bind a pod by its binding subresource"));
  body.get_object()["status"] = std::move(status);
  return body;
}

}  // namespace tenon::kubesim::apiserver
