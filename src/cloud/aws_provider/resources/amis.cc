// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/resources/amis.h"

#include <algorithm>
#include <map>
#include <set>

#include "aws/errors.h"
#include "cloud/aws_provider/util/type_match.h"
#include "model/labels.h"

namespace tenon::cloud {
namespace {

// Returns amd64 or arm64; empty for an architecture that Kubernetes nodes do not run on.
std::string kubernetes_arch(const std::string& architecture) {
  if (architecture == "x86_64") return "amd64";
  return architecture == "arm64" ? "arm64" : "";
}

bool is_preferred(const aws::Image& a, const aws::Image& b, Instant now) {
  const auto deprecated = [now](const aws::Image& image) { return image.deprecated_at && *image.deprecated_at <= now; };
  if (deprecated(a) != deprecated(b)) return deprecated(b);
  if (a.created_at != b.created_at) return a.created_at > b.created_at;
  return a.name > b.name;
}

std::string key_of(const std::vector<model::RequirementSpec>& requirements) {
  std::string key;
  for (const model::RequirementSpec& spec : requirements) {
    key += spec.key + " " + std::string(model::to_string(spec.op));
    for (const std::string& value : spec.values) key += " " + value;
    key += ";";
  }
  return key;
}

// Sorts by key length, then by key: the order in which Karpenter lists requirements.
void sort_requirements(std::vector<model::RequirementSpec>& requirements) {
  std::sort(requirements.begin(), requirements.end(), [](const auto& a, const auto& b) {
    return a.key.size() != b.key.size() ? a.key.size() < b.key.size() : a.key < b.key;
  });
}

std::vector<std::string> owners_of(const model::SelectorTerm& term) {
  if (!term.owner.empty()) return {term.owner};
  return term.name.empty() ? std::vector<std::string>{} : std::vector<std::string>{"self", "amazon"};
}

}  // namespace

aws::Filters tag_filters(const model::StringMap& tags) {
  aws::Filters filters;
  for (const auto& [key, value] : tags) {
    if (value == "*") {
      filters.push_back({"tag-key", {key}});
    } else {
      filters.push_back({"tag:" + key, {value}});
    }
  }
  return filters;
}

Status check_aliases(const model::NodeClass& node_class, const std::string& kubernetes_version) {
  for (const model::SelectorTerm& term : node_class.ami_selector_terms) {
    if (term.alias.empty()) continue;
    const Alias alias = TRY(parse_alias(term.alias));
    TRY_IN("alias " + term.alias, alias_queries(alias, kubernetes_version));
  }
  return ok();
}

Amis::Amis(Services services, Duration good_for)
    : services_(services),
      public_parameters_(services.runtime, kPublicParameterTtl),
      user_parameters_(services.runtime, kUserParameterTtl),
      rechecked_(services.runtime, kDeprecatedRecheck),
      resolved_(services.runtime, good_for) {}

Result<std::vector<model::ResolvedAmi>> Amis::resolve(const model::NodeClass& node_class,
                                                      const std::string& kubernetes_version,
                                                      const std::stop_token& stop) {
  const std::string key = node_class.meta.name + "/" + node_class.meta.uid + "/" +
                          std::to_string(node_class.meta.generation) + "/" + kubernetes_version;
  if (auto known = resolved_.find(key)) return std::move(*known);
  auto amis = TRY(discover(node_class, kubernetes_version, stop));
  if (!amis.empty()) resolved_.put(key, amis);
  return amis;
}

Result<std::string> Amis::parameter(const std::string& name, TtlMap<std::string, std::string>& cache,
                                    const std::stop_token& stop) {
  if (auto known = cache.find(name)) return std::move(*known);
  auto value = services_.ssm.get_parameter(name, stop);
  // Only AWS's own error code counts: a 404 from a proxy says nothing about the parameter.
  if (!value && aws::mentions(value.error(), "ParameterNotFound")) return std::string();
  std::string id = TRY(std::move(value));
  if (!id.starts_with("ami-")) return std::string();
  cache.put(name, id);
  return id;
}

Result<std::vector<Amis::Wanted>> Amis::by_alias(const std::string& text, const std::string& kubernetes_version,
                                                 const std::stop_token& stop) {
  const Alias alias = TRY(parse_alias(text));
  std::vector<Wanted> wanted;
  for (const AmiQuery& query : TRY_IN("alias " + text, alias_queries(alias, kubernetes_version))) {
    const std::string id = TRY(parameter(query.parameter, public_parameters_, stop));
    if (!id.empty()) wanted.push_back({id, query.parameter, query.variants});
  }
  return wanted;
}

// v0.27 required every parameter: a missing one is an error, not a missing image.
Result<std::vector<Amis::Wanted>> Amis::of_ubuntu(const std::string& kubernetes_version, const std::stop_token& stop) {
  std::vector<Wanted> wanted;
  for (const AmiQuery& query : ubuntu_queries(kubernetes_version)) {
    const std::string id = TRY(parameter(query.parameter, public_parameters_, stop));
    if (id.empty()) {
      return fail(Code::kNotFound, "amiFamily Ubuntu: SSM has no parameter " + query.parameter +
                                       ": select images with amiSelector (v1: amiSelectorTerms), or another family");
    }
    wanted.push_back({id, query.parameter, query.variants});
  }
  return wanted;
}

Result<std::vector<aws::Image>> Amis::describe_terms(const std::vector<model::SelectorTerm>& terms,
                                                     const std::vector<std::string>& ids, const std::stop_token& stop) {
  std::vector<aws::Image> images;
  const auto ask = [&](aws::Filters filters, const std::vector<std::string>& owners) -> Status {
    filters.push_back({"state", {"available"}});
    for (aws::Image& image : TRY(services_.ec2.describe_images(filters, owners, stop)))
      images.push_back(std::move(image));
    return ok();
  };
  if (!ids.empty()) TRY(ask({{"image-id", ids}}, {}));
  for (const model::SelectorTerm& term : terms) {
    if (!term.id.empty() || !term.alias.empty() || !term.ssm_parameter.empty()) continue;
    aws::Filters filters = tag_filters(term.tags);
    if (!term.name.empty()) filters.push_back({"name", {term.name}});
    TRY(ask(std::move(filters), owners_of(term)));
  }
  return images;
}

Result<std::vector<model::ResolvedAmi>> Amis::discover(const model::NodeClass& node_class,
                                                       const std::string& kubernetes_version,
                                                       const std::stop_token& stop) {
  std::vector<std::string> ids;
  std::map<std::string, std::set<AmiVariant>> variants;           // of alias images
  std::map<std::string, std::vector<std::string>> parameters_of;  // SSM parameters that name these images
  const auto add = [&](const std::vector<Wanted>& all) {
    for (const Wanted& wanted : all) {
      ids.push_back(wanted.image_id);
      if (!wanted.variants.empty()) variants[wanted.image_id].insert(wanted.variants.begin(), wanted.variants.end());
      parameters_of[wanted.image_id].push_back(wanted.parameter);
    }
  };
  if (node_class.ami_selector_terms.empty() && TRY(family_of(node_class)) == AmiFamily::kUbuntu)
    add(TRY(of_ubuntu(kubernetes_version, stop)));
  for (const model::SelectorTerm& term : node_class.ami_selector_terms) {
    if (!term.id.empty()) ids.push_back(term.id);
    if (!term.ssm_parameter.empty()) {
      const std::string id = TRY(parameter(term.ssm_parameter, user_parameters_, stop));
      if (!id.empty()) ids.push_back(id);
    }
    if (!term.alias.empty()) add(TRY(by_alias(term.alias, kubernetes_version, stop)));
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  const Instant now = services_.runtime.now();
  std::vector<AmiCandidate> candidates;
  for (const aws::Image& image : TRY(describe_terms(node_class.ami_selector_terms, ids, stop))) {
    const std::string arch = kubernetes_arch(image.architecture);
    if (arch.empty()) continue;
    if (image.deprecated_at && *image.deprecated_at <= now) {
      // The parameter may name a newer image by now.
      for (const std::string& name : parameters_of[image.id]) {
        if (rechecked_.find(name)) continue;
        public_parameters_.erase(name);
        rechecked_.put(name, true);
      }
    }
    const model::RequirementSpec arch_requirement{std::string(model::kLabelArch), model::Operator::kIn, {arch}, {}};
    const auto known = variants.find(image.id);
    if (known == variants.end()) {
      candidates.push_back({image, {arch_requirement}});
      continue;
    }
    for (const AmiVariant variant : known->second) {
      auto requirements = variant_requirements(variant);
      requirements.push_back(arch_requirement);
      candidates.push_back({image, std::move(requirements)});
    }
  }
  return pick_amis(std::move(candidates), now);
}

std::vector<model::ResolvedAmi> pick_amis(std::vector<AmiCandidate> candidates, Instant now) {
  std::map<std::string, AmiCandidate> best;
  for (AmiCandidate& candidate : candidates) {
    sort_requirements(candidate.requirements);
    const auto [it, fresh] = best.try_emplace(key_of(candidate.requirements), candidate);
    if (!fresh && is_preferred(candidate.image, it->second.image, now)) it->second = std::move(candidate);
  }
  std::vector<AmiCandidate> kept;
  for (auto& [key, candidate] : best) kept.push_back(std::move(candidate));
  std::stable_sort(kept.begin(), kept.end(), [](const AmiCandidate& a, const AmiCandidate& b) {
    if (a.image.created_at != b.image.created_at) return a.image.created_at > b.image.created_at;
    return a.image.id < b.image.id;
  });
  std::vector<model::ResolvedAmi> amis;
  for (const AmiCandidate& candidate : kept) {
    const auto& image = candidate.image;
    const bool deprecated = image.deprecated_at && *image.deprecated_at <= now;
    amis.push_back({image.id, image.name, deprecated, candidate.requirements});
  }
  return amis;
}

AmiChooser::AmiChooser(const std::vector<model::ResolvedAmi>& amis) {
  for (const model::ResolvedAmi& ami : amis) {
    auto requirements = model::Requirements::make(ami.requirements);
    if (requirements) entries_.push_back({&ami, std::move(*requirements)});
  }
}

const model::ResolvedAmi* AmiChooser::pick(const model::InstanceType& type) const {
  for (const Entry& entry : entries_) {
    if (type_matches(type, entry.requirements)) return entry.ami;
  }
  return nullptr;
}

}  // namespace tenon::cloud
