// STS (2011-06-15): who a caller is, and sessions of roles. Any role of IAM may be assumed by everybody who signs; no
// trust policy is evaluated.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "minicluster/fake_aws/wire.h"
#include "minicluster/fake_aws/world.h"

namespace tenon::minicluster::fake {

struct RoleSession {
  std::string access_key_id, secret_access_key, token, arn;
  Instant expires{};
};

// Thread rule: any thread.
class Sts {
 public:
  explicit Sts(World& world) : world_(world) {}
  // Nothing if these keys are no session's, or it has ended.
  std::optional<RoleSession> session(std::string_view access_key_id) const;
  // The content of <ActionResult>. `caller`: the access key that signed; empty: unsigned.
  Outcome<void> perform(std::string_view action, const Params& params, std::string_view caller, Xml& out);

 private:
  Outcome<void> assume_role(const Params& params, std::string_view caller, Xml& out);

  World& world_;
  mutable std::mutex mutex_;
  std::map<std::string, RoleSession, std::less<>> sessions_;  // by access key; guarded by mutex_
};

}  // namespace tenon::minicluster::fake
