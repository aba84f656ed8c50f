// The rules, in the order of this file:
//   requirements   a value that no instance type has: "kubernetes.io/arch In [nvidia, amd64]"
//   limits         less than the smallest instance type that the requirements allow
//   amounts        in milli-bytes, "3167538380800m"
//   requests       above every instance type; ephemeral storage above what the root volumes of the documents leave
//   nodeSelector   a label that no pool of the documents and no instance type has
//   ScaledObject   its target is in another namespace
// SPDX-License-Identifier: Apache-2.0
#include "cli/validate/traps.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/formulas.h"
#include "cli/validate/pod_places.h"
#include "json/json.h"
#include "kube/codec/codec.h"
#include "kube/codec/earlier_api.h"
#include "model/labels.h"

namespace tenon::cli {
namespace {

using json::value;
namespace codec = kube::codec;

constexpr std::string_view kGpu = "nvidia.com/gpu";

Finding warning(std::string path, std::string text) {
  return {Finding::Kind::kWarning, std::move(path), std::move(text)};
}

// The types of the catalog with their labels and capacities.
struct Type {
  std::string name;
  catalog::LabelValues labels;
  model::Resources capacity;
};

const std::vector<Type>& all_types() {
  static const std::vector<Type> types = [] {
    std::vector<Type> out;
    for (const catalog::InstanceFacts& facts : catalog::all_instance_types())
      out.push_back({facts.name, catalog::labels_of(facts), catalog::capacity_of(facts, {})});
    return out;
  }();
  return types;
}

// The values of each label that some type has.
const std::map<std::string, std::set<std::string>, std::less<>>& known_values() {
  static const auto known = [] {
    std::map<std::string, std::set<std::string>, std::less<>> out;
    for (const Type& type : all_types()) {
      for (const auto& [key, values] : type.labels) out[key].insert(values.begin(), values.end());
    }
    return out;
  }();
  return known;
}

struct Pool {
  model::NodePool pool;
  std::string requirements, limits;  // paths
};

std::optional<Pool> pool_of(const value& document) {
  const std::string_view kind = json::string_at(document, {"kind"});
  std::string fault;
  if (kind == "Provisioner") {
    if (auto pool = codec::decode_provisioner(document, &fault))
      return Pool{*std::move(pool), "spec.requirements", "spec.limits.resources"};
  } else if (kind == "NodePool") {
    if (auto pool = codec::decode_node_pool(document, &fault))
      return Pool{*std::move(pool), "spec.template.spec.requirements", "spec.limits"};
  }
  return std::nullopt;
}

bool allows(const model::NodePool& pool, const Type& type) {
  return std::all_of(
      pool.node_template.requirements.begin(), pool.node_template.requirements.end(), [&](const auto& spec) {
        const auto requirement = model::Requirement::make(spec);
        const auto at = type.labels.find(model::canonical_label(spec.key));
        if (!requirement || at == type.labels.end()) return !known_values().contains(spec.key);
        return std::any_of(at->second.begin(), at->second.end(), [&](const auto& v) { return requirement->allows(v); });
      });
}

void check_pool(const Pool& pool, Findings& out) {
  const auto& specs = pool.pool.node_template.requirements;
  for (size_t i = 0; i < specs.size(); ++i) {
    const auto known = known_values().find(model::canonical_label(specs[i].key));
    if (specs[i].op != model::Operator::kIn || known == known_values().end()) continue;
    const auto has = [&](const std::string& text) { return known->second.contains(text); };
    const bool any = std::any_of(specs[i].values.begin(), specs[i].values.end(), has);
    for (size_t v = 0; v < specs[i].values.size(); ++v) {
      if (has(specs[i].values[v])) continue;
      out.push_back(warning(pool.requirements + "[" + std::to_string(i) + "].values[" + std::to_string(v) + "]",
                            "no instance type has " + specs[i].key + "=" + specs[i].values[v] +
                                (any ? ": the value has no effect" : ": nothing can be launched")));
    }
  }
  std::vector<const Type*> allowed;
  for (const Type& type : all_types()) {
    if (allows(pool.pool, type)) allowed.push_back(&type);
  }
  if (allowed.empty()) {
    out.push_back(warning(pool.requirements, "no instance type has all of them: nothing can be launched"));
  }
  if (!pool.pool.limits || allowed.empty()) return;
  for (const auto& [name, limit] : pool.pool.limits->entries()) {
    const auto below = [&, &resource = name, most = limit](const Type* type) {
      return type->capacity.get(resource) > most;
    };
    if (std::all_of(allowed.begin(), allowed.end(), below))
      out.push_back(warning(pool.limits + "[" + name + "]",
                            "is less than one node of any allowed instance type has: nothing can be launched"));
  }
}

void check_amounts(const PodPlace& place, Findings& out) {
  const json::array& containers = json::array_at(*place.document, {"spec", "containers"});
  for (size_t i = 0; i < containers.size(); ++i) {
    for (const char* kind : {"requests", "limits"}) {
      for (const auto& entry : json::object_at(containers[i], {"resources", kind})) {
        const bool bytes = entry.key() == model::kMemory || entry.key() == model::kEphemeralStorage;
        if (!bytes || !entry.value().is_string() || !entry.value().get_string().ends_with("m")) continue;
        const auto quantity = model::parse_quantity(entry.value().get_string());
        if (!quantity) continue;
        out.push_back(warning(place.path + "spec.containers[" + std::to_string(i) + "].resources." + kind + "." +
                                  std::string(entry.key()),
                              "is in thousandths of a byte: " + std::string(entry.value().get_string()) + " is " +
                                  std::to_string(quantity->ceil_units()) + " bytes"));
      }
    }
  }
}

void check_requests(const PodPlace& place, Findings& out) {
  for (const auto& [name, amount] : place.pod.spec->requests.entries()) {
    if (name == model::kPods || name == model::kEphemeralStorage) continue;
    const auto fits = [&, &resource = name, least = amount](const Type& type) {
      return type.capacity.get(resource) >= least;
    };
    if (amount > 0 && std::none_of(all_types().begin(), all_types().end(), fits))
      out.push_back(warning(place.path + "spec", "the pod requests more " + name + " than any instance type has"));
  }
}

// Returns the largest root volume that the classes of the documents give their nodes; the default if none says so.
int64_t largest_root_volume(const std::vector<const value*>& documents) {
  int64_t most = catalog::kDefaultRootVolumeBytes;
  for (const value* document : documents) {
    const std::string_view kind = json::string_at(*document, {"kind"});
    std::string fault;
    const auto node_class = kind == "AWSNodeTemplate" ? codec::decode_node_template(*document, &fault)
                            : kind == "Provisioner"   ? codec::decode_inline_provider(*document, &fault)
                            : kind == "EC2NodeClass"  ? codec::decode_node_class(*document, &fault)
                                                      : fail(Code::kNotFound, "");
    if (!node_class) continue;
    for (const model::BlockDevice& device : node_class->block_devices) {
      if (device.volume_size) most = std::max(most, device.volume_size->ceil_units());
    }
    if (node_class->instance_store_policy == "RAID0") return INT64_MAX;
  }
  return most;
}

void check_storage(const PodPlace& place, int64_t volume, Findings& out) {
  const int64_t request = place.pod.spec->requests.get(model::kEphemeralStorage);
  if (request == 0 || volume == INT64_MAX) return;
  catalog::NodeSettings settings;
  settings.root_volume_bytes = volume;
  const auto overhead = catalog::overhead_of(catalog::all_instance_types().front(), settings);
  const int64_t room = volume - (overhead ? overhead->total().get(model::kEphemeralStorage) : 0);
  if (request <= room) return;
  out.push_back(warning(place.path + "spec", "the pod requests " + std::to_string(request) +
                                                 " bytes of ephemeral-storage, a root volume of " +
                                                 std::to_string(volume) + " bytes leaves " + std::to_string(room) +
                                                 ": raise blockDeviceMappings[].ebs.volumeSize"));
}

void check_selector(const PodPlace& place, const std::vector<Pool>& pools, Findings& out) {
  if (pools.empty()) return;
  for (const auto& [key, text] : place.pod.spec->node_selector) {
    const auto known = known_values().find(model::canonical_label(key));
    if (known != known_values().end()) {
      if (!known->second.contains(text))
        out.push_back(
            warning(place.path + "spec.nodeSelector[" + key + "]", "no instance type has " + key + "=" + text));
      continue;
    }
    if (model::is_well_known_label(key) || key == model::kLabelNodePool || key == model::kLabelProvisioner) continue;
    const auto has = [&, &wanted = key, &is = text](const Pool& pool) {
      const auto& t = pool.pool.node_template;
      if (const auto at = t.labels.find(wanted); at != t.labels.end()) return at->second == is;
      return std::any_of(t.requirements.begin(), t.requirements.end(), [&](const auto& spec) {
        const auto requirement = model::Requirement::make(spec);
        return spec.key == wanted && requirement && requirement->allows(is);
      });
    };
    if (std::none_of(pools.begin(), pools.end(), has))
      out.push_back(warning(place.path + "spec.nodeSelector[" + key + "]",
                            "no pool of these documents gives its nodes the label " + key + "=" + text));
  }
}

void check_scaled_object(const value& document, const std::vector<const value*>& documents, Findings& out) {
  const std::string name(json::string_at(document, {"spec", "scaleTargetRef", "name"}));
  const std::string kind(json::string_at(document, {"spec", "scaleTargetRef", "kind"}, "Deployment"));
  std::set<std::string> namespaces;
  for (const value* other : documents) {
    const bool target =
        json::string_at(*other, {"kind"}) == kind && json::string_at(*other, {"metadata", "name"}) == name;
    if (target) namespaces.insert(namespace_of(*other));
  }
  if (namespaces.empty() || namespaces.contains(namespace_of(document))) return;
  out.push_back(warning("spec.scaleTargetRef.name", kind + " " + name + " is in namespace " + *namespaces.begin() +
                                                        ", not in " + namespace_of(document) +
                                                        ": a ScaledObject scales its own namespace only"));
}

}  // namespace

std::vector<Findings> find_traps(const std::vector<const value*>& documents,
                                 const std::vector<const value*>& snapshot) {
  std::vector<const value*> everything = documents;
  everything.insert(everything.end(), snapshot.begin(), snapshot.end());
  std::vector<Findings> all(everything.size());
  std::vector<Pool> pools;
  for (size_t i = 0; i < everything.size(); ++i) {
    const auto pool = pool_of(*everything[i]);
    if (!pool) continue;
    check_pool(*pool, all[i]);
    pools.push_back(*pool);
  }
  all.resize(documents.size());  // the snapshot is not judged
  const int64_t volume = largest_root_volume(everything);
  for (size_t i = 0; i < documents.size(); ++i) {
    if (json::string_at(*documents[i], {"kind"}) == "ScaledObject")
      check_scaled_object(*documents[i], everything, all[i]);
    const auto place = pod_of(*documents[i]);
    if (!place) continue;
    check_amounts(*place, all[i]);
    check_requests(*place, all[i]);
    check_storage(*place, volume, all[i]);
    check_selector(*place, pools, all[i]);
  }
  return all;
}

}  // namespace tenon::cli
