// NodePools and EC2NodeClasses of a cluster's Provisioners and AWSNodeTemplates.
// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "json/equal.h"
#include "json/json.h"
#include "kube/resource_types.h"
#include "legacy/convert.h"
#include "legacy/convert_parts.h"
#include "migrate/decide.h"
#include "model/global_settings.h"
#include "model/labels.h"

namespace tenon::migrate {
namespace {

using json::value;

// The controller writes these again: they describe objects of v0.27.
void drop_hashes(value& document) {
  for (const std::string_view key : {model::kAnnotationNodePoolHash, model::kAnnotationNodePoolHashVersion,
                                     model::kAnnotationNodeClassHash, model::kAnnotationNodeClassHashVersion})
    json::erase(document, {"metadata", "annotations", key});
}

// What a class comes from: an AWSNodeTemplate, or the inline provider of a Provisioner.
struct Source {
  std::string from;  // "AWSNodeTemplate/default"
  const value* spec = nullptr;
};
using Sources = std::map<std::string, Source>;  // by the name of the class

// A template without images means AL2 where EKS publishes it, and AL2023 after that: the controller launches so.
void choose_images(const Source& source, const std::string& kubernetes_version, value& node_class) {
  if (source.spec == nullptr) return;
  if (json::find(*source.spec, {"amiFamily"}) || json::find(*source.spec, {"amiSelector"})) return;
  json::ensure(node_class, {"spec", "amiSelectorTerms"}) =
      json::array{json::object{{"alias", model::default_ami_alias(kubernetes_version)}}};
}

class PoolConversion {
 public:
  PoolConversion(const Observed& observed, const schema::KnownSchemas& schemas, Plan& plan)
      : observed_(observed), schemas_(schemas), plan_(plan) {}

  Converted run() {
    keep_converted();
    std::vector<value> input = observed_.provisioners;
    input.insert(input.end(), observed_.templates.begin(), observed_.templates.end());
    if (input.empty()) return std::move(out_);
    input.insert(input.end(), observed_.settings.begin(), observed_.settings.end());
    check_input(input);
    if (!plan_.refused.empty()) return std::move(out_);
    legacy::Converted done = legacy::convert(input);
    for (const auto& [index, note] : done.refused) refuse(reference(input[index]), note.path + ": " + note.text);
    for (const auto& [index, note] : done.notes)
      plan_.findings.push_back(reference(input[index]) + ": " + note.path + ": " + note.text);
    Sources sources;
    for (const value& one : observed_.templates) sources[name_of(one)] = {reference(one), json::find(one, {"spec"})};
    for (value& document : done.documents) {
      if (json::string_at(document, {"kind"}) == kube::kNodePools.kind) add_pool(document, sources);
    }
    for (value& document : done.documents) {
      if (json::string_at(document, {"kind"}) == kube::kNodeClasses.kind) add_class(document, sources);
    }
    order_writes();
    return std::move(out_);
  }

 private:
  // NodePools of an earlier run: their Provisioners may be gone.
  void keep_converted() {
    for (const value& pool : observed_.pools) {
      if (!annotation(pool, model::kAnnotationConvertedFrom).empty()) out_.pools.push_back(pool);
    }
  }

  void check_input(const std::vector<value>& input) {
    for (value document : input) {
      json::erase(document, {"status"});  // is not converted, and another controller may have written more
      for (const std::string& fault : schemas_.faults(document)) refuse(reference(document), fault);
      const bool provisioner = json::string_at(document, {"kind"}) == kube::kProvisioners.kind;
      if (provisioner && deleting(document)) refuse(reference(document), "is being deleted");
    }
  }

  void add_pool(value& pool, Sources& sources) {
    const std::string name = name_of(pool), from = "Provisioner/" + name;
    const value* provisioner = by_name(observed_.provisioners, name);
    if (provisioner == nullptr) return;
    const std::string class_name(json::string_at(pool, {"spec", "template", "spec", "nodeClassRef", "name"}));
    if (const value* inlined = json::find(*provisioner, {"spec", "provider"})) {
      sources[class_name] = {from, inlined};
    } else {
      const auto source = sources.find(std::string(json::string_at(*provisioner, {"spec", "providerRef", "name"})));
      if (source == sources.end()) return refuse(from, "spec.providerRef: there is no such AWSNodeTemplate");
      sources[class_name] = Source(source->second);
    }
    drop_hashes(pool);
    json::ensure(pool, {"metadata", "annotations", model::kAnnotationConvertedFrom}) = from;
    if (known(observed_.pools, pool, from)) return;
    out_.pools.push_back(pool);
    new_pools_.push_back({.verb = Verb::kCreate, .type = kube::kNodePools, .name = name, .body = pool});
  }

  void add_class(value& node_class, const Sources& sources) {
    const std::string name = name_of(node_class);
    const auto found = sources.find(name);
    if (found == sources.end()) return;  // of a Provisioner that was refused
    const std::string& from = found->second.from;
    choose_images(found->second, observed_.kubernetes_version, node_class);
    drop_hashes(node_class);
    json::ensure(node_class, {"metadata", "annotations", model::kAnnotationConvertedFrom}) = from;
    if (json::string_at(node_class, {"spec", "role"}) == legacy::kRolePlaceholder)
      refuse(from,
             "has no instance profile: set spec.instanceProfile, or aws.defaultInstanceProfile in "
             "karpenter-global-settings");
    if (known(observed_.classes, node_class, from)) return;
    out_.classes.push_back(node_class);
    new_classes_.push_back({.verb = Verb::kCreate, .type = kube::kNodeClasses, .name = name, .body = node_class});
  }

  // Returns whether the object exists and is the one that this conversion makes: an earlier run has created it, or
  // somebody has applied the output of `tenon convert -f`. Another object of that name is a refusal.
  bool known(const Documents& existing, const value& wanted, const std::string& from) {
    const value* found = by_name(existing, name_of(wanted));
    if (found == nullptr) {
      for (const std::string& fault : schemas_.faults(wanted)) refuse(from, "becomes an invalid " + fault);
      return false;
    }
    if (deleting(*found)) refuse(reference(*found), "is being deleted");
    if (annotation(*found, model::kAnnotationConvertedFrom) == from) return true;
    const value* spec = json::find(*found, {"spec"});
    const value complete = schemas_.with_defaults(wanted);
    if (spec == nullptr || !json::equal(*spec, *json::find(complete, {"spec"}))) {
      refuse(reference(*found), "exists and is not what " + from +
                                    " becomes: rename or delete one of them, or apply the output of tenon convert -f");
    } else if (json::string_at(wanted, {"kind"}) == kube::kNodePools.kind) {
      out_.pools.push_back(*found);
    }
    return true;
  }

  // A NodePool follows the classes.
  void order_writes() {
    out_.writes = std::move(new_classes_);
    for (Write& write : new_pools_) out_.writes.push_back(std::move(write));
  }

  void refuse(const std::string& who, const std::string& why) { plan_.refused.push_back(who + ": " + why); }

  const Observed& observed_;
  const schema::KnownSchemas& schemas_;
  Plan& plan_;
  Converted out_;
  std::vector<Write> new_classes_, new_pools_;
};

}  // namespace

Converted convert_pools(const Observed& observed, const schema::KnownSchemas& schemas, Plan& plan) {
  return PoolConversion(observed, schemas, plan).run();
}

}  // namespace tenon::migrate
