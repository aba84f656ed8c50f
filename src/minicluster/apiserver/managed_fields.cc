// SPDX-License-Identifier: Apache-2.0
#include "minicluster/apiserver/managed_fields.h"

#include <algorithm>

#include "json/json.h"
#include "minicluster/apiserver/shape.h"

namespace tenon::minicluster::apiserver {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;
using json::string_at;

const FieldSet& nobodys_fields() {
  static const FieldSet kSet = [] {
    FieldSet set;
    set.children["f:apiVersion"].member = set.children["f:kind"].member = set.children["f:metadata"].member = true;
    FieldSet& metadata = set.children["f:metadata"];
    for (const char* field :
         {"f:name", "f:namespace", "f:creationTimestamp", "f:selfLink", "f:uid", "f:generation", "f:managedFields",
          "f:resourceVersion", "f:deletionTimestamp", "f:deletionGracePeriodSeconds"}) {
      metadata.children[field].member = true;
    }
    return set;
  }();
  return kSet;
}

void drop_empty(std::vector<ManagedEntry>& entries) {
  std::erase_if(entries, [](const ManagedEntry& e) { return e.fields.empty(); });
}

}  // namespace

std::vector<ManagedEntry> managed_entries(const value& of) {
  std::vector<ManagedEntry> entries;
  for (const value& entry : json::array_at(of, {"metadata", "managedFields"})) {
    const value* fields = json::find(entry, {"fieldsV1"});
    if (fields == nullptr) continue;
    entries.push_back({.manager = std::string(string_at(entry, {"manager"})),
                       .operation = std::string(string_at(entry, {"operation"})),
                       .api_version = std::string(string_at(entry, {"apiVersion"})),
                       .time = std::string(string_at(entry, {"time"})),
                       .subresource = std::string(string_at(entry, {"subresource"})),
                       .fields = parse_fields_v1(*fields)});
  }
  return entries;
}

void set_managed_entries(value& of, std::vector<ManagedEntry> entries) {
  drop_empty(entries);
  std::stable_sort(entries.begin(), entries.end(), [](const ManagedEntry& a, const ManagedEntry& b) {
    return std::tie(a.operation, a.time, a.manager) < std::tie(b.operation, b.time, b.manager);
  });
  array list;
  for (const ManagedEntry& entry : entries) {
    object item{{"manager", entry.manager}, {"operation", entry.operation}, {"apiVersion", entry.api_version}};
    if (!entry.time.empty()) item["time"] = entry.time;
    item["fieldsType"] = "FieldsV1";
    item["fieldsV1"] = to_fields_v1(entry.fields);
    if (!entry.subresource.empty()) item["subresource"] = entry.subresource;
    list.push_back(std::move(item));
  }
  if (list.empty())
    json::erase(of, {"metadata", "managedFields"});
  else
    json::ensure(of, {"metadata", "managedFields"}) = std::move(list);
}

FieldSet owned_part(const FieldSet& fields, const ResourceInfo& info, std::string_view subresource) {
  FieldSet owned = subtract(fields, nobodys_fields());
  owned.member = false;
  if (subresource == "status") {
    std::erase_if(owned.children, [](const auto& child) { return child.first != "f:status"; });
  } else if (info.has(Traits::kStatus)) {
    owned.children.erase("f:status");
  }
  return owned;
}

void track_fields(const ResourceInfo& info, const value* old, value& next, const FieldOwner& owner) {
  const bool dropped = json::find(next, {"metadata", "managedFields"}) == nullptr;
  if (old != nullptr && dropped) {
    if (const value* before = json::find(*old, {"metadata", "managedFields"}))
      json::ensure(next, {"metadata", "managedFields"}) = *before;
  }
  const Shape* shape = shape_of(info);
  if (owner.manager.empty() || shape == nullptr) return;
  static const value kNothing = object();
  FieldSet gone;
  const FieldSet changed =
      owned_part(changed_fields(old == nullptr ? kNothing : *old, next, *shape, &gone), info, owner.subresource);
  if (changed.empty() && gone.empty() && old != nullptr) return;
  std::vector<ManagedEntry> entries;
  if (old != nullptr) entries = managed_entries(next);
  ManagedEntry mine{owner.manager, "Update", info.api_version(), format_rfc3339(owner.now), owner.subresource, changed};
  for (ManagedEntry& entry : entries) {
    if (entry.is(mine)) {
      mine.fields = subtract(unite(entry.fields, changed), gone);
      if (mine.fields == entry.fields) mine.time = entry.time;
      entry.fields = {};
    } else {
      entry.fields = subtract(subtract(entry.fields, changed), gone);
    }
  }
  entries.push_back(std::move(mine));
  set_managed_entries(next, std::move(entries));
}

}  // namespace tenon::minicluster::apiserver
