// SPDX-License-Identifier: Apache-2.0
#include "migrate/handover.h"

#include <algorithm>
#include <utility>

#include "json/equal.h"
#include "json/json.h"
#include "kube/resource_types.h"
#include "model/labels.h"

namespace tenon::migrate {
namespace {

using json::value;

// Returns the array without the members for which `gone` holds.
template <class Gone>
json::array without(const json::array& all, Gone gone) {
  json::array kept;
  for (const value& one : all) {
    if (!gone(one)) kept.push_back(one);
  }
  return kept;
}

bool is_ours(const value& finalizer) {
  return finalizer.is_string() && finalizer.get_string() == model::kFinalizerTermination;
}

value patch_of(const value& document) { return json::object{{"metadata", json::object{{"uid", uid_of(document)}}}}; }

// Steps 2 to 4 of one NodeClaim.
void remove_claim(const value& node, const value& claim, std::vector<Write>& out) {
  const std::string uid = uid_of(claim);
  const json::array& owners = json::array_at(node, {"metadata", "ownerReferences"});
  json::array others = without(owners, [&](const value& owner) { return json::string_at(owner, {"uid"}) == uid; });
  if (others.size() != owners.size()) {
    Write write{.type = kube::kNodes, .name = name_of(node), .body = patch_of(node)};
    json::ensure(write.body, {"metadata", "ownerReferences"}) = std::move(others);
    out.push_back(std::move(write));
  }
  const json::array& finalizers = json::array_at(claim, {"metadata", "finalizers"});
  if (std::any_of(finalizers.begin(), finalizers.end(), is_ours)) {
    Write write{.type = kube::kNodeClaims, .name = name_of(claim), .body = patch_of(claim)};
    // A NodeClaim that has changed since, e.g. is being deleted, is not touched.
    json::ensure(write.body, {"metadata", "resourceVersion"}) = json::string_at(claim, {"metadata", "resourceVersion"});
    json::ensure(write.body, {"metadata", "finalizers"}) = without(finalizers, is_ours);
    out.push_back(std::move(write));
  }
  out.push_back({.verb = Verb::kRemove, .type = kube::kNodeClaims, .name = name_of(claim), .uid = uid});
}

void create_claim(value claim, const value* existing, std::vector<Write>& out) {
  const value status = *json::find(claim, {"status"});
  const std::string name = existing != nullptr ? name_of(*existing) : name_of(claim);
  json::erase(claim, {"status"});
  if (existing == nullptr)
    out.push_back({.verb = Verb::kCreate, .type = kube::kNodeClaims, .name = name, .body = std::move(claim)});
  if (existing == nullptr || json::string_at(*existing, {"status", "providerID"}).empty())
    out.push_back({.verb = Verb::kPatchStatus,
                   .type = kube::kNodeClaims,
                   .name = name,
                   .body = json::object{{"status", status}}});
}

void change_keys(const value& document, const char* map,
                 const std::map<std::string, std::optional<std::string>>& changes, value& patch) {
  for (const auto& [key, text] : changes) {
    const value* now = json::find(document, {"metadata", map, key});
    if (text ? (now != nullptr && *now == value(*text)) : now == nullptr) continue;
    json::ensure(patch, {"metadata", map, key}) = text ? value(*text) : value();
  }
}

// Compares by what an owner reference names: the uid of a new owner is not known yet.
bool same_owners(const json::array& now, const json::array& wanted) {
  const auto same = [](const value& a, const value& b) {
    const auto text = [](const value& owner, const char* field) { return json::string_at(owner, {field}); };
    const bool any_uid = text(b, "uid").empty();
    return text(a, "kind") == text(b, "kind") && text(a, "name") == text(b, "name") &&
           (any_uid || text(a, "uid") == text(b, "uid"));
  };
  return std::equal(now.begin(), now.end(), wanted.begin(), wanted.end(), same);
}

// Step 7.
void change_node(const Handover& h, bool new_claim, std::vector<Write>& out) {
  Write write{.type = kube::kNodes, .name = name_of(*h.node), .body = patch_of(*h.node)};
  change_keys(*h.node, "labels", h.labels, write.body);
  change_keys(*h.node, "annotations", h.annotations, write.body);
  const json::array& finalizers = json::array_at(*h.node, {"metadata", "finalizers"});
  if (std::none_of(finalizers.begin(), finalizers.end(), is_ours)) {
    json::array more = finalizers;
    more.push_back(value(model::kFinalizerTermination));
    json::ensure(write.body, {"metadata", "finalizers"}) = std::move(more);
  }
  // A new NodeClaim may have the name of the one before it.
  if (new_claim || !same_owners(json::array_at(*h.node, {"metadata", "ownerReferences"}), h.node_owners.as_array()))
    json::ensure(write.body, {"metadata", "ownerReferences"}) = h.node_owners;
  if (json::object_at(write.body, {"metadata"}).size() > 1) out.push_back(std::move(write));
}

void change_tags(const Handover& h, bool hidden, std::vector<Write>& out) {
  Write add{.verb = Verb::kTag, .instances = {h.instance->id}};
  Write drop{.verb = Verb::kUntag, .instances = {h.instance->id}};
  for (const auto& [key, text] : h.tags) {
    const auto now = h.instance->tags.find(key);
    const bool gone = hidden && key == model::kLabelNodeClass;
    if (gone || now == h.instance->tags.end() || now->second != text) add.tags[key] = text;
  }
  for (const std::string& key : h.tags_off) {
    const bool gone = hidden && key == model::kLabelNodeClass;
    if (!gone && h.instance->tags.contains(key)) drop.tags[key] = "";
  }
  if (!drop.tags.empty()) out.push_back(std::move(drop));
  if (!add.tags.empty()) out.push_back(std::move(add));
}

void merge(std::vector<Write> more, std::vector<Write>& into) {
  for (Write& write : more) {
    const auto same = std::find_if(into.begin(), into.end(), [&](const Write& other) {
      return other.verb == write.verb && other.tags == write.tags && other.instances.size() < kMaxTaggedTogether;
    });
    if (same == into.end()) {
      into.push_back(std::move(write));
    } else {
      same->instances.insert(same->instances.end(), write.instances.begin(), write.instances.end());
    }
  }
}

}  // namespace

bool same_owner(const value& claim, const value& wanted) {
  const value* class_of_claim = json::find(claim, {"spec", "nodeClassRef"});
  const value* class_wanted = json::find(wanted, {"spec", "nodeClassRef"});
  return class_of_claim != nullptr && class_wanted != nullptr && json::equal(*class_of_claim, *class_wanted) &&
         label(claim, model::kLabelNodePool) == label(wanted, model::kLabelNodePool);
}

Steps steps_of(const Handover& h) {
  Steps steps;
  const value* existing = nullptr;
  std::vector<const value*> old;
  for (const value* claim : h.claims) {
    if (existing == nullptr && !h.claim.is_null() && same_owner(*claim, h.claim)) {
      existing = claim;
    } else {
      old.push_back(claim);
    }
  }
  const bool hide = !old.empty() && h.instance->tags.contains(model::kLabelNodeClass);
  if (hide)
    steps.hide.push_back(
        {.verb = Verb::kUntag, .instances = {h.instance->id}, .tags = {{std::string(model::kLabelNodeClass), ""}}});
  for (const value* claim : old) remove_claim(*h.node, *claim, steps.move);
  if (!h.claim.is_null()) create_claim(h.claim, existing, steps.move);
  change_node(h, existing == nullptr && !h.claim.is_null(), steps.move);
  change_tags(h, hide, steps.show);
  return steps;
}

std::vector<Write> together(const std::vector<Steps>& all) {
  std::vector<Write> hide, move, show;
  for (const Steps& steps : all) {
    merge(steps.hide, hide);
    move.insert(move.end(), steps.move.begin(), steps.move.end());
    merge(steps.show, show);
  }
  std::vector<Write> out = std::move(hide);
  std::move(move.begin(), move.end(), std::back_inserter(out));
  std::move(show.begin(), show.end(), std::back_inserter(out));
  return out;
}

}  // namespace tenon::migrate
