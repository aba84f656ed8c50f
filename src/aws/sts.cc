// SPDX-License-Identifier: Apache-2.0
#include "aws/sts.h"

#include <pugixml.hpp>

#include "aws/query_protocol.h"
#include "aws/sigv4.h"
#include "base/text.h"

namespace tenon::aws {
namespace {
constexpr std::string_view kStsVersion = "2011-06-15";
constexpr Duration kEksUrlLife = 60s;  // EKS accepts the token for 15 minutes regardless of the URL

Result<Credentials> credentials_in(const XmlReply& reply, const std::string& action) {
  const pugi::xml_node node = reply.root().child((action + "Result").c_str()).child("Credentials");
  const auto expires = parse_rfc3339(text_at(node, "Expiration"));
  Credentials credentials{text_at(node, "AccessKeyId"), text_at(node, "SecretAccessKey"), text_at(node, "SessionToken"),
                          expires.value_or(kNever)};
  if (credentials.access_key_id.empty() || !expires) {
    return fail(Code::kInternal, "sts " + action + ": the answer holds no credentials");
  }
  return credentials;
}
}  // namespace

Result<CallerIdentity> Sts::get_caller_identity(const std::stop_token& stop) {
  const XmlReply reply = TRY(query(client_, kSts, Form("GetCallerIdentity", kStsVersion), stop));
  const pugi::xml_node result = reply.root().child("GetCallerIdentityResult");
  return CallerIdentity{text_at(result, "Account"), text_at(result, "Arn")};
}

Result<Credentials> Sts::assume_role_with_web_identity(const std::string& role_arn, const std::string& session_name,
                                                       const std::string& token, const std::stop_token& stop) {
  Form form("AssumeRoleWithWebIdentity", kStsVersion);
  form.set("RoleArn", std::string_view(role_arn)).set("RoleSessionName", std::string_view(session_name));
  form.set("WebIdentityToken", std::string_view(token));
  const XmlReply reply = TRY(query(client_, kSts, form, stop, {.anonymous = true}));
  return credentials_in(reply, "AssumeRoleWithWebIdentity");
}

Result<Credentials> Sts::assume_role(const AssumedRole& role, const std::stop_token& stop) {
  Form form("AssumeRole", kStsVersion);
  form.set("RoleArn", std::string_view(role.role_arn)).set("RoleSessionName", std::string_view(role.session_name));
  form.set("ExternalId", std::string_view(role.external_id));
  if (role.life > Duration(0)) form.set("DurationSeconds", static_cast<int64_t>(role.life / 1s));
  const XmlReply reply = TRY(query(client_, kSts, form, stop));
  return credentials_in(reply, "AssumeRole");
}

Result<std::string> Sts::eks_token(const std::string& cluster, const std::stop_token& stop) {
  const Credentials credentials = TRY(client_.credentials().get(stop));
  const Endpoint where = client_.endpoint(kSts);
  http::Request request;
  request.url = where.url + "/?Action=GetCallerIdentity&Version=" + std::string(kStsVersion);
  request.headers.set("x-k8s-aws-id", cluster);
  const std::string url = presign(request, credentials, {where.region, std::string(kSts.signing_name)},
                                  {.now = client_.runtime().now(), .expires = kEksUrlLife});
  std::string encoded = base64_encode(url);
  for (char& c : encoded) {
    if (c == '+') c = '-';
    if (c == '/') c = '_';
  }
  while (encoded.ends_with('=')) encoded.pop_back();
  return "k8s-aws-v1." + encoded;
}

}  // namespace tenon::aws
