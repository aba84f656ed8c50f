// STS (2011-06-15): the caller's identity, and role sessions. Every signed caller may assume any IAM role; no trust
// policy is evaluated.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "awssim/account/wire.h"
#include "awssim/account/world.h"

namespace tenon::awssim {

struct RoleSession {
  std::string access_key_id, secret_access_key, token, arn;
  Instant expires{};
};

// Thread rule: any thread.
class Sts {
 public:
  explicit Sts(World& world) : world_(world) {}
  // Returns std::nullopt if these keys do not belong to a session, or if it has expired.
  std::optional<RoleSession> session(std::string_view access_key_id) const;
  // Writes the content of <ActionResult>. `caller`: the access key of the signature; empty: unsigned.
  Outcome<void> perform(std::string_view action, const Params& params, std::string_view caller, Xml& out);

 private:
  Outcome<void> assume_role(const Params& params, std::string_view caller, Xml& out);

  World& world_;
  mutable std::mutex mutex_;
  std::map<std::string, RoleSession, std::less<>> sessions_;  // by access key; guarded by mutex_
};

}  // namespace tenon::awssim
