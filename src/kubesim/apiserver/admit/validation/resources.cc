// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "json/json.h"
#include "kubesim/apiserver/admit/validation/rules.h"
#include "kubesim/apiserver/base/names.h"
#include "model/quantity.h"

namespace tenon::kubesim::apiserver::validation {
namespace {

bool is_huge_page(std::string_view resource) { return resource.starts_with("hugepages-"); }

// Whether the limit of this resource may exceed its request.
bool may_overcommit(std::string_view resource) {
  return resource.find('/') == std::string_view::npos && !is_huge_page(resource);
}

model::Quantity parsed(const Place& quantity) {
  return model::parse_quantity(quantity.text()).value_or(model::Quantity());
}

void check_resource_name(const Place& place, std::string_view resource) {
  if (const auto wrong = check_qualified_name(resource)) return place.invalid(json::value(resource), *wrong);
  if (resource.find('/') != std::string_view::npos || is_huge_page(resource)) return;
  static constexpr std::string_view kOfContainers[] = {"cpu", "memory", "ephemeral-storage"};
  static constexpr std::string_view kOfQuotas[] = {"storage",
                                                   "pods",
                                                   "services",
                                                   "replicationcontrollers",
                                                   "resourcequotas",
                                                   "secrets",
                                                   "configmaps",
                                                   "persistentvolumeclaims",
                                                   "services.nodeports",
                                                   "services.loadbalancers",
                                                   "requests.cpu",
                                                   "requests.memory",
                                                   "requests.storage",
                                                   "requests.ephemeral-storage",
                                                   "limits.cpu",
                                                   "limits.memory",
                                                   "limits.ephemeral-storage"};
  const auto is_one_of = [&](const auto& names) {
    return std::find(std::begin(names), std::end(names), resource) != std::end(names);
  };
  if (is_one_of(kOfContainers)) return;
  if (!is_one_of(kOfQuotas))
    place.invalid(json::value(resource), "must be a standard resource type or fully qualified");
  place.invalid(json::value(resource), "must be a standard resource for containers");
}

void check_against_limit(const Place& requests, const Place& request, const Place& limit, std::string_view resource) {
  const model::Quantity wanted = parsed(request), most = parsed(limit);
  if (wanted != most && !may_overcommit(resource)) {
    requests.invalid(request.value(), fmt::format("must be equal to {} limit of {}", resource, limit.text()));
  } else if (wanted > most) {
    requests.invalid(request.value(),
                     fmt::format("must be less than or equal to {} limit of {}", resource, limit.text()));
  }
}

}  // namespace

void check_quantity(const Place& quantity, std::string_view resource) {
  const model::Quantity amount = parsed(quantity);
  if (amount.negative()) quantity.invalid("must be greater than or equal to 0");
  const bool countable = resource == "pods" || resource.find('/') != std::string_view::npos;
  if (countable && amount.ceil_units() != amount.floor_units()) quantity.invalid("must be an integer");
}

void check_resources(const Place& resources) {
  const Place limits = resources["limits"], requests = resources["requests"];
  bool has_huge = false, has_plain = false;
  const auto note = [&](std::string_view resource) {
    has_huge = has_huge || is_huge_page(resource);
    has_plain = has_plain || resource == "cpu" || resource == "memory";
  };
  limits.each_key([&](const Place& limit, std::string_view resource) {
    check_resource_name(limit, resource);
    check_quantity(limit, resource);
    note(resource);
  });
  requests.each_key([&](const Place& request, std::string_view resource) {
    check_resource_name(request, resource);
    check_quantity(request, resource);
    if (const Place limit = limits.key(resource)) {
      check_against_limit(requests, request, limit, resource);
    } else if (!may_overcommit(resource)) {
      limits.required("Limit must be set for non overcommitable resources");
    }
    note(resource);
  });
  if (has_huge && !has_plain) resources.forbidden("HugePages require cpu or memory");
}

}  // namespace tenon::kubesim::apiserver::validation
