// metadata.managedFields: who set which field last. Updates take fields over silently; an apply meets a conflict where
// it would change what another manager owns.
// parity: k8s.io/apimachinery/pkg/util/managedfields, sigs.k8s.io/structured-merge-diff/v4/merge/update.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <vector>

#include "base/instant.h"
#include "minicluster/apiserver/field_set.h"
#include "minicluster/apiserver/registry.h"

namespace tenon::minicluster::apiserver {

struct ManagedEntry {
  std::string manager, operation, api_version, time, subresource;
  FieldSet fields;
  bool is(const ManagedEntry& other) const {
    return manager == other.manager && operation == other.operation && api_version == other.api_version &&
           subresource == other.subresource;
  }
};

std::vector<ManagedEntry> managed_entries(const boost::json::value& object);
// In the order in which a server lists them; those without fields are left out.
void set_managed_entries(boost::json::value& object, std::vector<ManagedEntry> entries);
// Fields that nobody owns: identity and what the server sets.
FieldSet owned_part(FieldSet fields, const ResourceInfo& info, std::string_view subresource);

struct FieldOwner {
  std::string manager;  // empty: only keeps what is recorded
  std::string subresource;
  Instant now;
};
// After a create (old is null) or an update: records what changed as the manager's.
void track_fields(const ResourceInfo& info, const boost::json::value* old, boost::json::value& next,
                  const FieldOwner& owner);

}  // namespace tenon::minicluster::apiserver
