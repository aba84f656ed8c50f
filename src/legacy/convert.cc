// SPDX-License-Identifier: Apache-2.0
#include "legacy/convert.h"

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "json/json.h"
#include "legacy/convert_parts.h"
#include "legacy/node_template.h"
#include "legacy/provisioner.h"
#include "model/generations.h"

namespace tenon::legacy {
namespace {

using json::object;
using json::value;

enum class Kind { kOther, kProvisioner, kTemplate, kBetaPool, kBetaClaim, kBetaClass, kSettings };

Kind kind_of(const value& document) {
  const std::string_view api = json::string_at(document, {"apiVersion"}), kind = json::string_at(document, {"kind"});
  if (api == kProvisionerApi && kind == "Provisioner") return Kind::kProvisioner;
  if (api == kNodeTemplateApi && kind == "AWSNodeTemplate") return Kind::kTemplate;
  if (api == "karpenter.sh/v1beta1" && kind == "NodePool") return Kind::kBetaPool;
  if (api == "karpenter.sh/v1beta1" && kind == "NodeClaim") return Kind::kBetaClaim;
  if (api == "karpenter.k8s.aws/v1beta1" && kind == "EC2NodeClass") return Kind::kBetaClass;
  if (api == "v1" && kind == "ConfigMap" &&
      json::string_at(document, {"metadata", "name"}) == "karpenter-global-settings")
    return Kind::kSettings;
  return Kind::kOther;
}

std::string name_of(const value& document) { return std::string(json::string_at(document, {"metadata", "name"})); }

// The class of a NodePool and the kubelet's configuration that its nodes need.
struct Use {
  std::string class_name;
  value kubelet;  // null: none
};

std::optional<Use> use_of(const value& document, Kind kind) {
  const bool pool = kind == Kind::kBetaPool;
  if (!pool && kind != Kind::kProvisioner) return std::nullopt;
  const value* kubelet = pool ? json::find(document, {"spec", "template", "spec", "kubelet"})
                              : json::find(document, {"spec", "kubeletConfiguration"});
  const std::string_view name = pool ? json::string_at(document, {"spec", "template", "spec", "nodeClassRef", "name"})
                                     : json::string_at(document, {"spec", "providerRef", "name"});
  if (name.empty()) return std::nullopt;  // an inline provider
  const bool empty = kubelet == nullptr || !kubelet->is_object() || kubelet->get_object().empty();
  return Use{std::string(name), empty ? value() : *kubelet};
}

void refuse_launch_template(const value& spec, const std::string& path, std::vector<Note>& refused) {
  if (json::find(spec, {"launchTemplate"}) == nullptr) return;
  refused.push_back({path + ".launchTemplate",
                     "cannot convert with \"spec.launchTemplate\": v1 has no counterpart; write the "
                     "fields of the launch template into an EC2NodeClass"});
}

class Conversion {
 public:
  explicit Conversion(const std::vector<value>& documents) : documents_(documents) {
    for (size_t i = 0; i < documents.size(); ++i) kinds_.push_back(kind_of(documents[i]));
  }

  Converted run() {
    validate();
    if (!out_.refused.empty()) return std::move(out_);
    read_settings();
    name_classes();
    for (at_ = 0; at_ < documents_.size(); ++at_) convert_one();
    if (!out_.refused.empty()) out_.documents.clear();
    return std::move(out_);
  }

 private:
  void validate() {
    for (size_t i = 0; i < documents_.size(); ++i) {
      std::vector<FieldError> errors;
      if (kinds_[i] == Kind::kProvisioner) errors = validate_provisioner(documents_[i]);
      if (kinds_[i] == Kind::kTemplate) errors = validate_node_template(documents_[i]);
      for (const FieldError& error : errors)
        out_.refused.push_back({i, {error.path, error.message + (error.details.empty() ? "" : ": " + error.details)}});
      if (kinds_[i] != Kind::kOther && name_of(documents_[i]).empty())
        out_.refused.push_back({i, {"metadata.name", "missing field(s)"}});
    }
  }

  void read_settings() {
    for (size_t i = 0; i < documents_.size(); ++i) {
      if (kinds_[i] != Kind::kSettings) continue;
      profile_ = json::string_at(documents_[i], {"data", "aws.defaultInstanceProfile"});
      drift_ = json::string_at(documents_[i], {"data", "featureGates.driftEnabled"}) == "true";
      const auto tags = json::parse(json::string_at(documents_[i], {"data", "aws.tags"}, "{}"));
      if (tags && tags->is_object()) {
        tags_ = tags->get_object();
      } else {
        out_.refused.push_back({i, {"data[aws.tags]", "is not a JSON object"}});
      }
    }
  }

  // Decides which class each pool refers to: pools of one class with the same configuration of the kubelet share one.
  void name_classes() {
    std::map<std::string, std::vector<size_t>> users;
    for (size_t i = 0; i < documents_.size(); ++i) {
      if (kinds_[i] == Kind::kTemplate || kinds_[i] == Kind::kBetaClass) taken_.insert(name_of(documents_[i]));
      if (const auto use = use_of(documents_[i], kinds_[i])) users[use->class_name].push_back(i);
    }
    for (const auto& [name, pools] : users) {
      std::vector<std::pair<value, std::string>>& variants = variants_[name];  // the first keeps the name
      for (const size_t i : pools) {
        if (use_of(documents_[i], kinds_[i])->kubelet.is_null()) variants = {{value(), name}};
      }
      for (const size_t i : pools) {
        const value kubelet = use_of(documents_[i], kinds_[i])->kubelet;
        const auto same = [&](const auto& variant) { return variant.first == kubelet; };
        auto found = std::find_if(variants.begin(), variants.end(), same);
        if (found == variants.end()) {
          variants.emplace_back(kubelet, variants.empty() ? name : free_name(name + "-" + name_of(documents_[i])));
          found = variants.end() - 1;
        }
        class_of_[i] = found->second;
      }
    }
  }

  std::string free_name(const std::string& wanted) {
    std::string name = wanted;
    for (int n = 2; !taken_.insert(name).second; ++n) name = wanted + "-" + std::to_string(n);
    return name;
  }

  void convert_one() {
    const value& document = documents_[at_];
    switch (kinds_[at_]) {
      case Kind::kProvisioner: convert_pool(document, true); break;
      case Kind::kBetaPool: convert_pool(document, false); break;
      case Kind::kTemplate:
      case Kind::kBetaClass: convert_class(document); break;
      case Kind::kBetaClaim: {
        std::vector<Note> notes;
        out_.documents.push_back(convert_v1beta1_claim(document, notes));
        add(std::move(notes));
        break;
      }
      case Kind::kSettings:
        add({{"data",
              "settings of v1 are options of the controller (flags or environment variables); aws.tags and "
              "aws.defaultInstanceProfile are in each EC2NodeClass now"}});
        [[fallthrough]];
      case Kind::kOther: find_old_keys(document, ""); out_.documents.push_back(document);
    }
  }

  void convert_pool(const value& document, bool provisioner) {
    std::vector<Note> notes, refused;
    const auto named = class_of_.find(at_);
    const value* inlined = provisioner ? json::find(document, {"spec", "provider"}) : nullptr;
    const std::string name = named != class_of_.end() ? named->second : free_name(name_of(document));
    out_.documents.push_back(provisioner ? convert_provisioner(document, name, drift_, notes)
                                         : convert_v1beta1_pool(document, name, notes));
    if (inlined != nullptr) {
      const value* kubelet = json::find(document, {"spec", "kubeletConfiguration"});
      value made =
          convert_node_template(*inlined, "spec.provider", kubelet ? *kubelet : value(), profile_, notes, refused);
      refuse_launch_template(*inlined, "spec.provider", refused);
      finish_class(made, name, object());
    } else if (const auto use = use_of(document, kinds_[at_]);
               use && !use->kubelet.is_null() && !has_class(use->class_name)) {
      notes.push_back({provisioner ? "spec.kubeletConfiguration" : "spec.template.spec.kubelet",
                       "belongs into spec.kubelet of EC2NodeClass " + name +
                           ", which is not among the input: " + json::to_string(use->kubelet)});
    }
    if (provisioner) require_effects(document, refused);
    add(std::move(notes));
    refuse(std::move(refused));
  }

  // v0.27 accepted taints without an effect, with which no node could be created.
  void require_effects(const value& document, std::vector<Note>& refused) const {
    for (const char* field : {"taints", "startupTaints"}) {
      const json::array& taints = json::array_at(document, {"spec", field});
      for (size_t i = 0; i < taints.size(); ++i) {
        if (json::string_at(taints[i], {"effect"}).empty())
          refused.push_back(
              {"spec." + std::string(field) + "[" + std::to_string(i) + "].effect", "v1 requires an effect"});
      }
    }
  }

  void convert_class(const value& document) {
    std::vector<Note> notes, refused;
    const std::string name = name_of(document);
    const auto known = variants_.find(name);
    const std::vector<std::pair<value, std::string>> alone{{value(), name}};
    const auto& variants = known == variants_.end() ? alone : known->second;
    if (variants.size() > 1)
      notes.push_back(
          {"spec", "its pools have " + std::to_string(variants.size()) +
                       " configurations of the kubelet, which is a field of the class in v1: a class for each"});
    for (const auto& [kubelet, class_name] : variants) {
      std::vector<Note> own, own_refused;
      value made;
      if (kinds_[at_] == Kind::kTemplate) {
        static const value kNone = object();
        const value* spec = json::find(document, {"spec"});
        made = convert_node_template(spec ? *spec : kNone, "spec", kubelet, profile_, own, own_refused);
        if (spec) refuse_launch_template(*spec, "spec", own_refused);
      } else {
        made = convert_v1beta1_class(document);
        json::erase(made, {"status"});
        if (!kubelet.is_null()) json::ensure(made, {"spec", "kubelet"}) = kubelet;
      }
      value metadata = kept_metadata(document);
      finish_class(made, class_name, metadata.get_object());
      if (&kubelet != &variants.front().first) continue;  // the notes of one variant are those of all
      for (Note& note : own) notes.push_back(std::move(note));
      for (Note& note : own_refused) refused.push_back(std::move(note));
    }
    add(std::move(notes));
    refuse(std::move(refused));
  }

  // Adds the class with its metadata and the tags of the settings, which those of the class override.
  void finish_class(value& made, const std::string& name, object metadata) {
    metadata["name"] = name;
    json::ensure(made, {"metadata"}) = std::move(metadata);
    if (!tags_.empty()) {
      object tags = tags_;
      for (const auto& [key, text] : json::object_at(made, {"spec", "tags"})) tags[key] = text;
      json::ensure(made, {"spec", "tags"}) = std::move(tags);
    }
    out_.documents.push_back(std::move(made));
  }

  bool has_class(const std::string& name) const {
    for (size_t i = 0; i < documents_.size(); ++i) {
      if ((kinds_[i] == Kind::kTemplate || kinds_[i] == Kind::kBetaClass) && name_of(documents_[i]) == name)
        return true;
    }
    return false;
  }

  // Notes the keys of v0.27 in other documents, such as a Deployment's node selector. These are not changed.
  void find_old_keys(const value& v, const std::string& path) {
    if (v.is_array()) {
      for (size_t i = 0; i < v.get_array().size(); ++i)
        find_old_keys(v.get_array()[i], path + "[" + std::to_string(i) + "]");
    } else if (v.is_object()) {
      for (const auto& [key, item] : v.get_object()) {
        const std::string here = path + (path.empty() ? "" : ".") + std::string(key);
        note_old_key(key, here);
        find_old_keys(item, here);
      }
    } else if (v.is_string()) {
      note_old_key(v.get_string(), path);
    }
  }
  void note_old_key(std::string_view key, const std::string& path) {
    if (key == model::kLabelProvisioner) add({{path, "is karpenter.sh/nodepool in v1; this document is not changed"}});
    if (key == "karpenter.sh/do-not-evict" || key == "karpenter.sh/do-not-consolidate")
      add({{path, "is karpenter.sh/do-not-disrupt in v1; this document is not changed"}});
  }

  void add(std::vector<Note> notes) {
    for (Note& note : notes) out_.notes.push_back({at_, std::move(note)});
  }
  void refuse(std::vector<Note> notes) {
    for (Note& note : notes) out_.refused.push_back({at_, std::move(note)});
  }

  const std::vector<value>& documents_;
  std::vector<Kind> kinds_;
  bool drift_ = false;           // featureGates.driftEnabled
  std::string profile_;          // aws.defaultInstanceProfile; empty: none
  object tags_;                  // aws.tags
  std::set<std::string> taken_;  // names of classes
  std::map<std::string, std::vector<std::pair<value, std::string>>> variants_;  // by class: kubelet, name of its class
  std::map<size_t, std::string> class_of_;                                      // of the pool with this index
  size_t at_ = 0;
  Converted out_;
};

}  // namespace

Converted convert(const std::vector<value>& documents) { return Conversion(documents).run(); }

}  // namespace tenon::legacy
