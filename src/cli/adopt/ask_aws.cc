// SPDX-License-Identifier: Apache-2.0
#include "cli/adopt/ask_aws.h"

#include "aws/iam.h"
#include "aws/instance_metadata.h"
#include "aws/sqs.h"
#include "http/curl_transport.h"
#include "json/json.h"

namespace tenon::cli {
namespace {

Result<adopt::RoleAnswer> ask_role(aws::Client& client, const std::string& arn, const std::stop_token& stop) {
  const std::string name = adopt::role_name(arn);
  if (name.empty()) return fail(Code::kInvalid, "is no ARN of a role");
  aws::RolePolicies found = TRY(aws::Iam(client).role_policies(name, stop));
  adopt::RoleAnswer answer{.bounded = found.bounded};
  for (const std::string& document : found.documents)
    answer.policies.push_back(TRY_IN("a policy of the role", json::parse(document)));
  return answer;
}

Result<adopt::CloudAnswers> ask(runtime::Runtime& runtime, const aws::Environment& environment,
                                const adopt::CloudNames& names, const std::stop_token& stop) {
  const aws::Environment with_profile = TRY(aws::with_profile(environment));
  const std::string ca_bundle = TRY(aws::read_ca_bundle(with_profile));
  const auto transport = http::make_curl_transport({.ca_pem = ca_bundle});
  const auto local = http::make_curl_transport({.ca_pem = ca_bundle, .no_proxy = true});
  const std::string region = TRY(aws::discover_region(*local, with_profile, stop));
  const auto credentials = TRY(aws::make_default_credentials({*transport, *local, runtime, with_profile, region}));
  aws::Client client({*transport, runtime, *credentials},
                     {.region = region, .environment = with_profile, .user_agent = "tenon/" TENON_VERSION});
  return ask_aws(client, names, stop);
}

}  // namespace

adopt::CloudAnswers ask_aws(aws::Client& client, const adopt::CloudNames& names, const std::stop_token& stop) {
  adopt::CloudAnswers answers;
  if (!names.role_arn.empty()) answers.role = ask_role(client, names.role_arn, stop);
  if (!names.queue.empty()) {
    const auto url = aws::Sqs(client).get_queue_url(names.queue, stop);
    answers.queue = url ? ok() : Status(fail(url.error()));
  }
  return answers;
}

adopt::CloudAnswers ask_aws(runtime::Runtime& runtime, const aws::Environment& environment,
                            const adopt::CloudNames& names, const std::stop_token& stop) {
  if (names.role_arn.empty() && names.queue.empty()) return {};
  auto answers = ask(runtime, environment, names, stop);
  if (answers) return *std::move(answers);
  return {.not_asked = answers.error().message};
}

}  // namespace tenon::cli
