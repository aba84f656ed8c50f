// SPDX-License-Identifier: Apache-2.0
#include "awssim/services/sts.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace tenon::awssim {
namespace {

constexpr int kLeastSeconds = 900, kMostSeconds = 43200, kMostChainedSeconds = 3600;

std::string caller_arn(const World& world, const std::optional<RoleSession>& session) {
  return session ? session->arn : world.arn("iam", "user/" + world.options.cluster_name);
}

}  // namespace

std::optional<RoleSession> Sts::session(std::string_view access_key_id) const {
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(access_key_id);
  if (found == sessions_.end() || found->second.expires <= world_.runtime.now()) return std::nullopt;
  return found->second;
}

Outcome<void> Sts::perform(std::string_view action, const Params& params, std::string_view caller, Xml& out) {
  if (action == "AssumeRole") return assume_role(params, caller, out);
  if (action != "GetCallerIdentity")
    return deny("InvalidAction", "Could not find operation " + std::string(action) + " for version 2011-06-15");
  out.text("Arn", caller_arn(world_, session(caller)));
  out.text("UserId", "AIDA0123456789EXAMPLE").text("Account", kAccount);
  return {};
}

Outcome<void> Sts::assume_role(const Params& params, std::string_view caller, Xml& out) {
  const std::string role(params.get("RoleArn")), name(params.get("RoleSessionName"));
  const std::string life(params.get("DurationSeconds"));
  const std::optional<RoleSession> chained = session(caller);
  if (role.empty() || name.empty()) return deny("ValidationError", "RoleArn and RoleSessionName must not be empty.");
  int seconds = kMostChainedSeconds;
  if (!life.empty()) std::from_chars(life.data(), life.data() + life.size(), seconds);
  if (seconds < kLeastSeconds || seconds > kMostSeconds)
    return deny("ValidationError", "DurationSeconds must be from 900 to 43200.");
  if (chained && seconds > kMostChainedSeconds) {
    return deny("ValidationError",
                "The requested DurationSeconds exceeds the 1 hour session limit for roles assumed by role chaining");
  }
  RoleSession made;
  {
    const std::lock_guard lock(world_.mutex);
    const std::string role_name = role.substr(role.rfind('/') + 1);
    if (!world_.roles.contains(role_name) || role != world_.arn("iam", "role/" + role_name)) {
      const std::string who = caller_arn(world_, chained);
      return deny("AccessDenied", "User: " + who + " is not authorized to perform: sts:AssumeRole on resource: " + role,
                  403);
    }
    std::string key = world_.new_uuid();
    std::erase(key, '-');
    std::transform(key.begin(), key.end(), key.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    made = {"ASIA" + key.substr(0, 16), world_.new_uuid(), world_.new_uuid(),
            "arn:aws:sts::" + std::string(kAccount) + ":assumed-role/" + role_name + "/" + name,
            world_.runtime.now() + std::chrono::seconds(seconds)};
  }
  out.element("Credentials", [&] {
    out.text("AccessKeyId", made.access_key_id).text("SecretAccessKey", made.secret_access_key);
    out.text("SessionToken", made.token).text("Expiration", format_rfc3339(made.expires));
  });
  out.element("AssumedRoleUser",
              [&] { out.text("AssumedRoleId", "AROA0123456789EXAMPLE:" + name).text("Arn", made.arn); });
  const std::lock_guard lock(mutex_);
  sessions_.insert_or_assign(made.access_key_id, made);
  return {};
}

}  // namespace tenon::awssim
