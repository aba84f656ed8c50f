// SPDX-License-Identifier: Apache-2.0
#include "cli/install/chart.h"

#include <algorithm>
#include <charconv>

#include "base/check.h"
#include "base/text.h"
#include "cli/install/chart_files.h"
#include "json/json.h"
#include "json/yaml.h"
#include "model/leases.h"

namespace tenon::cli::install {
namespace {

using json::value;

// As in a template of Go: what `if` and `with` skip.
bool is_empty(const value& v) {
  switch (v.kind()) {
    case boost::json::kind::null: return true;
    case boost::json::kind::bool_: return !v.get_bool();
    case boost::json::kind::int64: return v.get_int64() == 0;
    case boost::json::kind::uint64: return v.get_uint64() == 0;
    case boost::json::kind::double_: return v.get_double() == 0;
    case boost::json::kind::string: return v.get_string().empty();
    case boost::json::kind::array: return v.get_array().empty();
    case boost::json::kind::object: return v.get_object().empty();
  }
  return true;
}

// Splits a.b\.c into a and b.c.
std::vector<std::string> steps_of(std::string_view key) {
  std::vector<std::string> steps(1);
  for (size_t i = 0; i < key.size(); ++i) {
    if (key[i] == '\\' && i + 1 < key.size()) {
      steps.back() += key[++i];
    } else if (key[i] == '.') {
      steps.emplace_back();
    } else {
      steps.back() += key[i];
    }
  }
  return steps;
}

// The types that helm gives a value of --set: {a,b} is a list, a number with a fraction stays a text.
value typed(const std::string& text) {
  if (text.starts_with('{') && text.ends_with('}')) {
    json::array list;
    for (const std::string_view item : split(std::string_view(text).substr(1, text.size() - 2), ',')) {
      if (!item.empty()) list.push_back(typed(std::string(item)));
    }
    return list;
  }
  if (text == "null") return nullptr;
  if (text == "true" || text == "false") return text == "true";
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (whole && (text == "0" || !text.starts_with('0'))) return number;
  return value(text);
}

// Whether a key is below a value of Kubernetes' types that has a default.
bool is_of_kubernetes(const std::vector<std::string>& steps) {
  constexpr std::string_view kTypes[] = {"nodeSelector", "affinity", "strategy", "podSecurityContext"};
  if (steps.size() > 2 && steps[0] == "controller" && steps[1] == "resources") return true;
  return steps.size() > 1 && std::find(std::begin(kTypes), std::end(kTypes), steps[0]) != std::end(kTypes);
}

// Below a value of Kubernetes' types and below {} in `known`, the chart's own values, every key is possible; elsewhere
// they name the keys.
Status set(value& values, const value& known, const std::string& key, const std::string& text) {
  const auto invalid = [&](const std::string& why) { return fail(Code::kInvalid, "--set " + key + ": " + why); };
  value* at = &values;
  const std::vector<std::string> steps = steps_of(key);
  const value* own = is_of_kubernetes(steps) ? nullptr : &known;  // null: every key is possible
  for (const std::string& step : steps) {
    if (own != nullptr && own->is_object() && own->get_object().empty()) own = nullptr;
    const bool free = own == nullptr;
    if (!free) own = own->is_object() ? own->get_object().if_contains(step) : nullptr;
    if (step.empty() || (!free && own == nullptr)) return fail(Code::kInvalid, "--set: unknown key " + key);
    if (!at->is_object()) return invalid("a key above it has a value");
    at = &at->get_object().emplace(step, json::object()).first->value();
  }
  const json::object* below = at->if_object();
  if (own != nullptr ? own->is_object() : below != nullptr && !below->empty())
    return invalid("a key below it is required");
  value given = typed(text);
  if (own != nullptr && own->is_array() != given.is_array()) {
    return invalid(own->is_array() ? "a list is required: {a,b}" : "it is no list");
  }
  *at = std::move(given);
  return ok();
}

std::string limited(std::string name) {
  constexpr size_t kLabel = 63;  // characters of a DNS label
  name.resize(std::min(name.size(), kLabel));
  if (name.ends_with('-')) name.pop_back();
  return name;
}

}  // namespace

Chart::Chart() {
  auto documents = json::parse_yaml(chart_file("values.yaml"));
  CHECK(documents.has_value() && documents->size() == 1, "values.yaml of the chart");
  values_ = std::make_unique<value>(std::move(documents->front()));
}
Chart::Chart(Chart&&) noexcept = default;
Chart::~Chart() = default;

Result<Chart> Chart::make(const Settings& settings) {
  Chart chart;
  const value known = *chart.values_;
  for (const auto& [key, text] : settings) {
    if (key == "release.name" || key == "release.namespace") {
      if (text.empty()) return fail(Code::kInvalid, "--set " + key + ": a name is required");
      (key == "release.name" ? chart.release_ : chart.ns_) = text;
      continue;
    }
    TRY(set(*chart.values_, known, key, text));
  }
  if (!chart.kwok() && !chart.given({"settings", "clusterName"}) && !chart.given({"settings", "aws", "clusterName"})) {
    return fail(Code::kInvalid,
                "--set settings.clusterName=NAME is required: the name of the EKS cluster (settings.aws.clusterName in "
                "the values of Karpenter v0.27)");
  }
  return chart;
}

const value* Chart::given(std::initializer_list<std::string_view> path) const {
  const value* found = json::find(*values_, path);
  return found != nullptr && !is_empty(*found) ? found : nullptr;
}

std::string Chart::text(std::initializer_list<std::string_view> path) const {
  const value* found = json::find(*values_, path);
  if (found == nullptr || found->is_null()) return {};
  return found->is_string() ? std::string(found->get_string()) : json::to_string(*found);
}

// Releases that are named after Karpenter are upgraded in place: a Deployment's selector cannot change.
std::string Chart::name() const {
  const std::string own = text({"nameOverride"});
  if (!own.empty()) return limited(own);
  return release_.find("karpenter") != std::string::npos ? "karpenter" : "tenon";
}

std::string Chart::fullname() const {
  const std::string own = text({"fullnameOverride"});
  if (!own.empty()) return limited(own);
  return limited(release_.find(name()) != std::string::npos ? release_ : release_ + "-" + name());
}

std::string Chart::service_account() const {
  const std::string own = text({"serviceAccount", "name"});
  if (!own.empty()) return own;
  return given({"serviceAccount", "create"}) ? fullname() : "default";
}

std::string Chart::lease() const {
  const std::string own = text({"settings", "leaderElectionName"});
  const bool by_default = own.empty() || own == model::kControllerLease;
  if (by_default) return std::string(observe() ? model::kObserverLease : model::kControllerLease);
  return own;
}

Result<std::string> Chart::image() const {
  const auto or_version = [](const std::string& tag) { return tag.empty() ? std::string(TENON_VERSION) : tag; };
  const std::string own = text({"image", "repository"});
  if (given({"image", "local"})) return (own.empty() ? "tenon" : own) + ":" + or_version(text({"image", "tag"}));
  const auto field = [&](std::string_view name) {
    return own.empty() ? text({"controller", "image", name}) : text({"image", name});
  };
  const std::string repository = field("repository"), digest = field("digest");
  if (repository.empty()) {
    return fail(Code::kInvalid,
                "--set image.repository=NAME is required: there is no public image of Tenon; name the repository that "
                "you have pushed it to, or set image.local=true for an image that is loaded on the nodes as "
                "tenon:VERSION");
  }
  if (repository.starts_with("public.ecr.aws/karpenter/")) {
    return fail(Code::kInvalid, "image.repository: " + repository + " contains Karpenter, not Tenon");
  }
  return digest.empty() ? repository + ":" + or_version(field("tag")) : repository + "@" + digest;
}

bool Chart::observe() const { return text({"settings", "observe"}) == "true"; }

bool Chart::kwok() const { return text({"settings", "cloud"}) == "kwok"; }

bool Chart::provisioners() const {
  return !observe() && given({"settings", "aws", "clusterName"}) != nullptr &&
         text({"settings", "featureGates", "provisionerAPI"}) != "false";
}

bool Chart::webhooks() const {
  const std::string enabled = text({"webhook", "enabled"});
  return !observe() && (enabled == "true" || (enabled.empty() && provisioners()));
}

}  // namespace tenon::cli::install
