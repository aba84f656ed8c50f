// metadata.managedFields: the manager that last set each field. An update takes over fields without an error; an apply
// that would change a field of another manager is a conflict.
// parity: k8s.io/apimachinery/pkg/util/managedfields, sigs.k8s.io/structured-merge-diff/v4/merge/update.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <vector>

#include "base/instant.h"
#include "kubesim/apiserver/kinds/registry.h"
#include "kubesim/apiserver/objects/field_set.h"

namespace tenon::kubesim::apiserver {

struct ManagedEntry {
  std::string manager, operation, api_version, time, subresource;
  FieldSet fields;
  bool is(const ManagedEntry& other) const {
    return manager == other.manager && operation == other.operation && api_version == other.api_version &&
           subresource == other.subresource;
  }
};

std::vector<ManagedEntry> managed_entries(const boost::json::value& object);
// Writes the entries in the order of a real API server. Entries without fields are left out.
void set_managed_entries(boost::json::value& object, std::vector<ManagedEntry> entries);
// Returns the fields that a manager may own: not the identity, not the fields that the server sets, and not those that
// the endpoint (the object itself or its status) does not write.
FieldSet owned_part(FieldSet fields, const ResourceInfo& info, std::string_view subresource);

struct FieldOwner {
  std::string manager;  // empty: the recorded entries stay unchanged
  std::string subresource;
  Instant now;
};
// Records the fields that a create (old is null) or an update changed as owned by the manager.
void track_fields(const ResourceInfo& info, const boost::json::value* old, boost::json::value& next,
                  const FieldOwner& owner);

}  // namespace tenon::kubesim::apiserver
