// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/objects/managed_fields.h"

#include <algorithm>
#include <tuple>

#include "json/json.h"
#include "kubesim/apiserver/kinds/shape.h"

namespace tenon::kubesim::apiserver {
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

// Whether the entry has the same manager, operation, version and subresource as `mine`. The fields are not compared.
bool is_of(const value& entry, const ManagedEntry& mine) {
  return string_at(entry, {"manager"}) == mine.manager && string_at(entry, {"operation"}) == mine.operation &&
         string_at(entry, {"apiVersion"}) == mine.api_version && string_at(entry, {"subresource"}) == mine.subresource;
}

// Whether the entries stay unchanged: the manager already owns all changed fields and no other manager owns any of them
// or of `gone`. This is the most frequent case.
bool is_recorded(const value& object, const ManagedEntry& mine, const FieldSet& gone) {
  bool owned = false;
  for (const value& entry : json::array_at(object, {"metadata", "managedFields"})) {
    const value* fields = json::find(entry, {"fieldsV1"});
    if (fields == nullptr || meets(*fields, gone)) return false;
    const bool own = is_of(entry, mine);
    if (own ? !covers(*fields, mine.fields) : meets(*fields, mine.fields)) return false;
    owned = owned || own;
  }
  return owned;
}

ManagedEntry read_entry(const value& entry) {
  const auto text = [&](std::string_view member) { return std::string(string_at(entry, {member})); };
  return {.manager = text("manager"),
          .operation = text("operation"),
          .api_version = text("apiVersion"),
          .time = text("time"),
          .subresource = text("subresource"),
          .fields = parse_fields_v1(*json::find(entry, {"fieldsV1"}))};
}

value write_entry(const ManagedEntry& entry) {
  object item{{"manager", entry.manager}, {"operation", entry.operation}, {"apiVersion", entry.api_version}};
  if (!entry.time.empty()) item["time"] = entry.time;
  item["fieldsType"] = "FieldsV1";
  item["fieldsV1"] = to_fields_v1(entry.fields);
  if (!entry.subresource.empty()) item["subresource"] = entry.subresource;
  return item;
}

void put_entries(value& of, array list) {
  if (list.empty())
    json::erase(of, {"metadata", "managedFields"});
  else
    json::ensure(of, {"metadata", "managedFields"}) = std::move(list);
}

}  // namespace

std::vector<ManagedEntry> managed_entries(const value& of) {
  std::vector<ManagedEntry> entries;
  for (const value& entry : json::array_at(of, {"metadata", "managedFields"})) {
    if (json::find(entry, {"fieldsV1"}) != nullptr) entries.push_back(read_entry(entry));
  }
  return entries;
}

void set_managed_entries(value& of, std::vector<ManagedEntry> entries) {
  std::stable_sort(entries.begin(), entries.end(), [](const ManagedEntry& a, const ManagedEntry& b) {
    return std::tie(a.operation, a.time, a.manager) < std::tie(b.operation, b.time, b.manager);
  });
  array list;
  for (const ManagedEntry& entry : entries) {
    if (!entry.fields.empty()) list.push_back(write_entry(entry));
  }
  put_entries(of, std::move(list));
}

FieldSet owned_part(FieldSet fields, const ResourceInfo& info, std::string_view subresource) {
  FieldSet owned = subtract(std::move(fields), nobodys_fields());
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
  ManagedEntry mine{owner.manager, "Update", info.api_version(), format_rfc3339(owner.now), owner.subresource, changed};
  if (old != nullptr && is_recorded(next, mine, gone)) return;
  array before, kept;
  if (value* list = json::find(next, {"metadata", "managedFields"}); old != nullptr && list && list->is_array()) {
    before = std::move(list->get_array());
  }
  for (value& entry : before) {
    const value* fields = json::find(entry, {"fieldsV1"});
    if (fields == nullptr) continue;
    const bool own = is_of(entry, mine);
    if (!own && !meets(*fields, changed) && !meets(*fields, gone)) {
      kept.push_back(std::move(entry));
      continue;
    }
    ManagedEntry read = read_entry(entry);
    if (own) {
      mine.fields = subtract(unite(read.fields, changed), gone);
      if (mine.fields == read.fields) mine.time = read.time;
    } else {
      read.fields = subtract(subtract(std::move(read.fields), changed), gone);
      if (!read.fields.empty()) kept.push_back(write_entry(read));
    }
  }
  if (!mine.fields.empty()) {
    const auto order = [](const value& e) {
      return std::tuple(string_at(e, {"operation"}), string_at(e, {"time"}), string_at(e, {"manager"}));
    };
    const value entry = write_entry(mine);
    const auto at = std::upper_bound(kept.begin(), kept.end(), entry,
                                     [&](const value& a, const value& b) { return order(a) < order(b); });
    kept.insert(at, entry);
  }
  put_entries(next, std::move(kept));
}

}  // namespace tenon::kubesim::apiserver
