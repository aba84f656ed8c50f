// Carries out the writes of a plan, one after the other, and stops at the first error: a later run decides the rest.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <stop_token>
#include <string>

#include "aws/ec2.h"
#include "kube/client.h"
#include "migrate/write.h"

namespace tenon::migrate {

// Thread rule: one thread.
class Performer {
 public:
  // Borrows both. `ec2`: null if no write changes tags.
  Performer(kube::Client& client, aws::Ec2* ec2) : client_(client), ec2_(ec2) {}

  // Calls `done` after each write. Errors: those of the clients, with the write; kConflict: an object that is to be
  // deleted still owns nodes, which would end with it.
  Status perform(const std::vector<Write>& writes, const std::function<void(const Write&)>& done,
                 const std::stop_token& stop);

 private:
  Status perform(const Write& write, const std::stop_token& stop);
  Status complete_owners(boost::json::value& body, const std::stop_token& stop);
  Result<std::string> uid_of_owner(const std::string& kind, const std::string& name, const std::stop_token& stop);
  Status check_owns_nothing(const Write& write, const std::stop_token& stop);

  kube::Client& client_;
  aws::Ec2* const ec2_;
  std::map<std::string, std::string> uids_;  // by "kind/name", of objects that cannot be replaced meanwhile
};

}  // namespace tenon::migrate
