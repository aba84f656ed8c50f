// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/objects/server_side_apply.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "json/json.h"
#include "kubesim/apiserver/admit/metadata.h"
#include "kubesim/apiserver/admit/strategy.h"
#include "kubesim/apiserver/kinds/convert.h"
#include "kubesim/apiserver/kinds/shape.h"
#include "kubesim/apiserver/objects/managed_fields.h"
#include "schema/causes.h"

namespace tenon::kubesim::apiserver {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;
using json::string_at;

bool same_item(const value& a, const value& b, const Shape& list) {
  if (list.list_type == Shape::ListType::kSet) return a == b;
  return std::all_of(list.list_keys.begin(), list.list_keys.end(), [&](const std::string& key) {
    const value* x = json::find(a, {key});
    const value* y = json::find(b, {key});
    static const value kTcp("TCP");
    if (key == "protocol") return *(x == nullptr ? &kTcp : x) == *(y == nullptr ? &kTcp : y);
    return x != nullptr && y != nullptr && *x == *y;
  });
}

// Merges the configuration into the live object.
void lay_over(value& live, const value& config, const Shape* shape, bool atomic) {
  if (config.is_object() && live.is_object() && !atomic) {
    for (const auto& entry : config.get_object()) {
      const Member* member =
          shape == nullptr || shape->kind == Shape::Kind::kMap ? nullptr : shape->member(entry.key());
      const Shape* below = shape != nullptr && shape->kind == Shape::Kind::kMap ? shape->element
                           : member == nullptr                                  ? nullptr
                                                                                : member->shape;
      const bool whole = (member != nullptr && member->atomic) ||
                         (below != nullptr && below->kind == Shape::Kind::kObject && below->atomic);
      lay_over(live.get_object()[entry.key()], entry.value(), below, whole);
    }
    return;
  }
  const bool merges =
      shape != nullptr && shape->kind == Shape::Kind::kList && shape->list_type != Shape::ListType::kAtomic;
  if (!config.is_array() || !live.is_array() || !merges) {
    live = config;
    return;
  }
  for (const value& item : config.get_array()) {
    array& items = live.get_array();
    const auto found =
        std::find_if(items.begin(), items.end(), [&](const value& v) { return same_item(v, item, *shape); });
    if (found == items.end())
      items.push_back(item);
    else if (shape->list_type == Shape::ListType::kMap)
      lay_over(*found, item, shape->element, false);
  }
}

// Adds the parents of all fields: the owner of a field also owns the existence of the objects that contain it.
FieldSet with_parents(FieldSet set) {
  for (auto& [name, child] : set.children) {
    child = with_parents(std::move(child));
    child.member = true;
  }
  return set;
}

ApiError conflict_error(const std::vector<ManagedEntry>& conflicts) {
  ApiError error{.code = 409, .reason = "Conflict"};
  std::string text;
  size_t count = 0;
  for (const ManagedEntry& entry : conflicts) {
    const std::string who =
        fmt::format("conflict with \"{}\"", entry.manager) +
        (entry.subresource.empty() ? "" : fmt::format(" with subresource \"{}\"", entry.subresource)) +
        (entry.operation == "Update" ? fmt::format(" using {}", entry.api_version) : "");
    const std::vector<std::string> paths = field_paths(entry.fields);
    text += (text.empty() ? "" : " and ");
    text += paths.size() == 1 ? who + ": " + paths[0] : who + ":";
    for (const std::string& path : paths) {
      if (paths.size() > 1) text += "\n- " + path;
      error.causes.push_back({"FieldManagerConflict", who, path});
      ++count;
    }
  }
  error.message = "Apply failed with " + counted(count, "conflict") + ": " + text;
  return error;
}

class Apply {
 public:
  Apply(const ResourceInfo& info, const Target& target, const value& config, const WriteContext& context, bool force)
      : info_(info), target_(target), config_(config), context_(context), force_(force), shape_(*shape_of(info)) {}

  ManagedEntry entry(Instant now) const {
    return {context_.manager,    "Apply",
            info_.api_version(), format_rfc3339(now),
            target_.subresource, owned_part(fields_of(config_, shape_), info_, target_.subresource)};
  }

  Done to(value& live, Instant now) const {
    const value before = live;
    std::vector<ManagedEntry> entries = managed_entries(live);
    ManagedEntry mine = entry(now);
    lay_over(live, config_, &shape_, false);
    prune(live, entries, mine);
    FieldSet gone;
    const FieldSet changed = changed_fields(before, live, shape_, &gone);
    std::vector<ManagedEntry> conflicts;
    for (ManagedEntry& other : entries) {
      if (other.is(mine)) continue;
      const FieldSet taken = intersect(changed, other.fields);
      if (!taken.empty()) {
        conflicts.push_back(other);
        conflicts.back().fields = taken;
      }
      other.fields = subtract(subtract(std::move(other.fields), taken), gone);
    }
    if (!conflicts.empty() && !force_) return refuse(conflict_error(conflicts));
    for (ManagedEntry& old : entries) {
      if (!old.is(mine)) continue;
      if (old.fields == mine.fields && changed.empty() && gone.empty()) mine.time = old.time;
      old.fields = {};
    }
    entries.push_back(std::move(mine));
    set_managed_entries(live, std::move(entries));
    update_last_applied(live);
    return {};
  }

 private:
  // Updates the annotation of client-side apply, so that a client-side apply can follow.
  // parity: apimachinery/pkg/util/managedfields/internal/lastappliedupdater.go
  void update_last_applied(value& live) const {
    constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";
    value* annotation = json::find(live, {"metadata", "annotations", kLastApplied});
    if (context_.manager != "kubectl" || annotation == nullptr) return;
    *annotation = schema::canonical_json(config_) + "\n";
  }

  // Removes the fields that this manager applied before and no longer applies, unless another manager owns them too.
  void prune(value& live, const std::vector<ManagedEntry>& entries, const ManagedEntry& mine) const {
    FieldSet others, before;
    for (const ManagedEntry& entry : entries) {
      if (entry.is(mine))
        before = entry.fields;
      else
        others = unite(std::move(others), entry.fields);
    }
    const FieldSet stale = subtract(subtract(std::move(before), with_parents(mine.fields)), with_parents(others));
    if (!stale.empty()) remove_fields(live, stale, shape_);
  }

  const ResourceInfo& info_;
  const Target& target_;
  const value& config_;
  const WriteContext& context_;
  const bool force_;
  const Shape& shape_;
};

}  // namespace

Answer<Applied> server_side_apply(Objects& objects, const Target& target, const ResourceInfo& served, const value& body,
                                  const WriteContext& context, bool force) {
  value config = body;
  TRY_API(check_type(served, config));
  TRY_API(to_stored(served, *target.info, config));
  const ResourceInfo& info = *target.info;
  if (json::find(config, {"metadata", "managedFields"}) != nullptr) {
    return refuse(bad_request("metadata.managedFields must be nil"));
  }
  if (string_at(config, {"metadata", "name"}).empty()) json::ensure(config, {"metadata", "name"}) = target.name;
  TRY_API(check_fields(info, config, context));
  if (shape_of(info) == nullptr) return refuse(unsupported_media_type("this kind cannot be applied"));
  const Apply apply(info, target, config, context, force);
  WriteContext untracked = context;
  untracked.manager.clear();
  const Instant now = objects.runtime().now();
  if (!objects.store().get(info.storage(), target.key()) && target.subresource.empty()) {
    value fresh = config;
    set_managed_entries(fresh, {apply.entry(now)});
    auto created = objects.create({target.info, target.ns}, std::move(fresh), untracked);
    if (created) return Applied{*created, true};
    if (created.error().reason != "AlreadyExists") return refuse(created.error());
  }
  return Applied{TRY_API(objects.modify(target, [&](value& live) { return apply.to(live, now); }, untracked)), false};
}

}  // namespace tenon::kubesim::apiserver
