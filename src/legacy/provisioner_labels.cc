// The rules of v0.27 about label keys: of spec.labels and of spec.requirements.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/text.h"
#include "json/json.h"
#include "legacy/provisioner.h"
#include "model/generations.h"
#include "model/labels.h"
#include "model/requirement.h"

namespace tenon::legacy {
namespace {

using json::value;

constexpr std::string_view kEmptinessTimestamp = "karpenter.sh/emptiness-timestamp";
// Compared as suffixes without a dot before them, as v0.27 did: mykubernetes.io is restricted, too.
constexpr std::array<std::string_view, 4> kRestrictedSuffixes{"karpenter.k8s.aws", "karpenter.sh", "k8s.io",
                                                              "kubernetes.io"};
constexpr std::array<std::string_view, 3> kExceptions{"kops.k8s.io", "node.kubernetes.io", "testing.karpenter.sh"};
// Sorted. The labels that v0.27 knew and v1 does not: model/labels.h has the others.
constexpr std::array<std::string_view, 4> kOnlyThen{"karpenter.k8s.aws/instance-accelerator-memory",
                                                    "karpenter.k8s.aws/instance-ami-id",
                                                    "karpenter.k8s.aws/instance-pods", "karpenter.sh/provisioner-name"};

bool well_known(std::string_view key) {
  return model::is_well_known_label(key) || std::binary_search(kOnlyThen.begin(), kOnlyThen.end(), key);
}

bool restricted(std::string_view key) {
  if (key == model::kLabelHostname || key == kEmptinessTimestamp) return true;
  if (well_known(key)) return false;
  const size_t slash = key.find('/');
  const std::string_view domain = slash == std::string_view::npos ? "" : key.substr(0, slash);
  const auto ends = [&](std::string_view suffix) { return domain.ends_with(suffix); };
  return std::none_of(kExceptions.begin(), kExceptions.end(), ends) &&
         std::any_of(kRestrictedSuffixes.begin(), kRestrictedSuffixes.end(), ends);
}

std::string restriction(std::string_view key) {
  return "label " + std::string(key) +
         " is restricted; specify a well known label, or a custom label that does not use a restricted domain: [" +
         join(std::vector<std::string>(kRestrictedSuffixes.begin(), kRestrictedSuffixes.end()), " ") + "]";
}

bool is_bound(const value& text) {
  if (!text.is_string() || text.get_string().empty() || text.get_string().size() > 9) return false;
  return std::all_of(text.get_string().begin(), text.get_string().end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Returns what is wrong with one requirement; empty: nothing.
std::string fault_of(const value& requirement) {
  const std::string key(model::canonical_label(json::string_at(requirement, {"key"})));
  const std::string_view op = json::string_at(requirement, {"operator"});
  const json::array& values = json::array_at(requirement, {"values"});
  if (key == model::kLabelProvisioner) return key + " is restricted";
  constexpr std::array<std::string_view, 6> kOperators{"DoesNotExist", "Exists", "Gt", "In", "Lt", "NotIn"};
  if (std::find(kOperators.begin(), kOperators.end(), op) == kOperators.end()) {
    return "key " + key + " has an unsupported operator " + std::string(op) +
           " not in [DoesNotExist Exists Gt In Lt NotIn]";
  }
  if (restricted(key)) return restriction(key);
  if (!model::valid_label_key(key)) return "key " + key + " is not a qualified name";
  for (const value& text : values) {
    if (!model::valid_label_value(std::string_view(text.get_string())))
      return "invalid value " + std::string(text.get_string()) + " for key " + key;
  }
  if (op == "In" && values.empty()) return "key " + key + " with operator In must have a value defined";
  if ((op == "Gt" || op == "Lt") && (values.size() != 1 || !is_bound(values.front())))
    return "key " + key + " with operator " + std::string(op) + " must have a single positive integer value";
  return "";
}

}  // namespace

std::vector<FieldError> validate_labels(const value& provisioner) {
  std::vector<FieldError> errors;
  for (const auto& [name, text] : json::object_at(provisioner, {"spec", "labels"})) {
    const std::string key(name);
    const auto refuse_key = [&](std::string why) {
      errors.push_back({"invalid key name \"" + key + "\"", "spec.labels", std::move(why)});
    };
    if (key == model::kLabelProvisioner) {
      refuse_key("restricted");
    } else if (!model::valid_label_key(key)) {
      refuse_key("it is not a qualified name");
    } else if (restricted(key)) {
      refuse_key(restriction(key));
    }
    if (text.is_string() && !model::valid_label_value(std::string_view(text.get_string())))
      errors.push_back({"invalid value: " + std::string(text.get_string()), "spec.labels[" + key + "]"});
  }
  return errors;
}

std::vector<FieldError> validate_requirements(const value& provisioner) {
  std::vector<FieldError> errors;
  const json::array& all = json::array_at(provisioner, {"spec", "requirements"});
  for (size_t i = 0; i < all.size(); ++i) {
    if (std::string fault = fault_of(all[i]); !fault.empty())
      errors.push_back({"invalid value: " + fault, "spec.requirements[" + std::to_string(i) + "]"});
  }
  return errors;
}

}  // namespace tenon::legacy
