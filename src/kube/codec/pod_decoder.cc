// SPDX-License-Identifier: Apache-2.0
#include "kube/codec/pod_decoder.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/hash.h"
#include "json/equal.h"
#include "json/json.h"
#include "kube/codec/common.h"
#include "model/pod_specs.h"

namespace tenon::kube::codec {
namespace {

using json::array;
using json::object;
using json::value;

constexpr size_t kMaxKnown =
    4096;  // cached spec documents; beyond that, all are dropped, so that pods without a template do not fill the cache
constexpr std::array<std::string_view, 2> kStatuses{"containerStatuses", "initContainerStatuses"};
constexpr std::array<std::string_view, 3> kStatusMembers{"name", "allocatedResources", "resources"};

void add(Hash& hash, const value& v) {
  if (const auto* text = v.if_string()) {
    hash.add(std::string_view(*text));
  } else if (const object* members = v.if_object()) {
    hash.add(members->size());
    for (const auto& member : *members) {
      hash.add(std::string_view(member.key()));
      add(hash, member.value());
    }
  } else if (const array* items = v.if_array()) {
    hash.add(items->size());
    for (const value& item : *items) add(hash, item);
  } else {
    hash.add(v.is_int64() ? static_cast<size_t>(v.get_int64()) : static_cast<size_t>(v.kind()));
  }
}

// Returns true for members of the spec that differ between pods of one template and that read_pod_spec() does not read.
bool of_the_pod_alone(std::string_view member) { return member == "nodeName"; }
// A volume that is not a claim. The volume of the service account's token has another name in each pod.
bool no_claim(const value& volume) {
  const object* members = volume.if_object();
  return members && !members->contains("persistentVolumeClaim") && !members->contains("ephemeral");
}

void add_volumes(Hash& hash, const array& volumes) {
  for (const value& volume : volumes) {
    if (!no_claim(volume)) add(hash, volume);
  }
}
bool same_volumes(const array& a, const array& b) {
  auto at = b.begin();
  const auto skip = [&] { at = std::find_if_not(at, b.end(), no_claim); };
  for (const value& volume : a) {
    if (no_claim(volume)) continue;
    skip();
    if (at == b.end() || !json::equal(volume, *at++)) return false;
  }
  skip();
  return at == b.end();
}

void add_spec(Hash& hash, const object& spec) {
  for (const auto& member : spec) {
    if (of_the_pod_alone(member.key())) continue;
    hash.add(std::string_view(member.key()));
    if (member.key() == "volumes" && member.value().is_array())
      add_volumes(hash, member.value().get_array());
    else
      add(hash, member.value());
  }
}
bool same_spec(const object& a, const object& b) {
  auto at = b.begin();
  const auto skip = [&] {
    while (at != b.end() && of_the_pod_alone(at->key())) ++at;
  };
  for (const auto& member : a) {
    if (of_the_pod_alone(member.key())) continue;
    skip();
    if (at == b.end() || at->key() != member.key()) return false;
    const value &left = member.value(), &right = at->value();
    const bool lists = member.key() == "volumes" && left.is_array() && right.is_array();
    if (lists ? !same_volumes(left.get_array(), right.get_array()) : !json::equal(left, right)) return false;
    ++at;
  }
  skip();
  return at == b.end();
}

// Hashes the members of the status that read_pod_amounts() reads for a pod that is not being resized.
void add_statuses(Hash& hash, const value& pod) {
  for (const std::string_view list : kStatuses) {
    for (const value& status : json::array_at(pod, {"status", list})) {
      for (const std::string_view name : kStatusMembers) {
        if (const value* member = json::find(status, {name})) add(hash, *member);
      }
    }
    hash.add(list);
  }
}
bool same_statuses(const value& a, const value& b) {
  for (const std::string_view list : kStatuses) {
    const array &left = json::array_at(a, {"status", list}), &right = json::array_at(b, {"status", list});
    const auto same = [](const value& one, const value& other) {
      return std::all_of(kStatusMembers.begin(), kStatusMembers.end(), [&](std::string_view name) {
        const value *x = json::find(one, {name}), *y = json::find(other, {name});
        return x && y ? json::equal(*x, *y) : x == y;
      });
    };
    if (!std::equal(left.begin(), left.end(), right.begin(), right.end(), same)) return false;
  }
  return true;
}

// Whether the spec of the pod depends only on the members above.
bool comparable(const value& pod) {
  const value* status = json::find(pod, {"status"});
  if (!json::find(pod, {"spec"}) || !json::find(pod, {"spec"})->is_object()) return false;
  if (!status) return true;
  if (!status->is_object() || json::find(*status, {"resize"})) return false;
  for (const std::string_view list : kStatuses) {
    const value* statuses = json::find(*status, {list});
    if (!statuses) continue;
    const array* items = statuses->if_array();
    if (!items || !std::all_of(items->begin(), items->end(), [](const value& v) { return v.is_object(); }))
      return false;
  }
  const array& conditions = json::array_at(*status, {"conditions"});
  return std::none_of(conditions.begin(), conditions.end(),
                      [](const value& c) { return json::string_at(c, {"type"}) == "PodResizePending"; });
}

}  // namespace

class PodDecoder::Known {
 public:
  // Returns the spec of an equal pod; null: not cached.
  const Shared<model::PodSpec>* find(size_t hash, const value& pod) const {
    const auto [begin, end] = by_hash_.equal_range(hash);
    const auto at = std::find_if(begin, end, [&](const auto& entry) {
      const value& known = entry.second.document;
      return same_spec(known.at("spec").get_object(), pod.at("spec").get_object()) && same_statuses(known, pod);
    });
    return at == end ? nullptr : &at->second.spec;
  }
  const Shared<model::PodSpec>& keep(size_t hash, const value& pod, Shared<model::PodSpec> spec) {
    if (by_hash_.size() >= kMaxKnown) by_hash_.clear();
    object document{{"spec", pod.at("spec")}};
    if (const value* status = json::find(pod, {"status"})) {
      object& statuses = document["status"].emplace_object();
      for (const std::string_view list : kStatuses) {
        if (const value* found = json::find(*status, {list})) statuses[list] = *found;
      }
    }
    return by_hash_.emplace(hash, Entry{std::move(document), std::move(spec)})->second.spec;
  }
  Shared<model::PodSpec> share(model::PodSpec spec) { return specs_.share(Shared(std::move(spec))); }

 private:
  struct Entry {
    value document;  // the spec, and the status fields that affect it
    Shared<model::PodSpec> spec;
  };
  std::unordered_multimap<size_t, Entry> by_hash_;
  model::PodSpecs specs_;
};

PodDecoder::PodDecoder() : known_(std::make_unique<Known>()) {}
PodDecoder::~PodDecoder() = default;

Result<model::Pod> PodDecoder::decode(const value& document, std::string* fault) {
  Problem problem(document, fault);
  const Field field(document, problem);
  model::Pod pod = read_pod_itself(field);
  if (!comparable(document)) {
    pod.spec = known_->share(read_pod_spec(field));
    return problem.take(std::move(pod));
  }
  Hash hash;
  add_spec(hash, document.at("spec").get_object());
  add_statuses(hash, document);
  if (const auto* known = known_->find(hash.value(), document)) {
    pod.spec = *known;
    return problem.take(std::move(pod));
  }
  pod.spec = known_->share(read_pod_spec(field));
  Result<model::Pod> decoded = problem.take(std::move(pod));
  if (decoded && (!fault || fault->empty())) known_->keep(hash.value(), document, decoded->spec);
  return decoded;
}

}  // namespace tenon::kube::codec
