// SPDX-License-Identifier: Apache-2.0
#include "legacy/node_template.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/text.h"
#include "json/json.h"
#include "model/quantity.h"

namespace tenon::legacy {
namespace {

using json::value;

constexpr std::array<std::string_view, 4> kFamilies{"AL2", "Bottlerocket", "Custom", "Ubuntu"};
constexpr std::array<std::string_view, 7> kVolumeTypes{"gp2", "gp3", "io1", "io2", "sc1", "st1", "standard"};
constexpr std::array<std::string_view, 14> kFields{"amiFamily",
                                                   "amiSelector",
                                                   "apiVersion",
                                                   "blockDeviceMappings",
                                                   "context",
                                                   "detailedMonitoring",
                                                   "instanceProfile",
                                                   "kind",
                                                   "launchTemplate",
                                                   "metadataOptions",
                                                   "securityGroupSelector",
                                                   "subnetSelector",
                                                   "tags",
                                                   "userData"};
// A launch template decides these itself.
constexpr std::array<std::string_view, 7> kNotWithTemplate{
    "amiFamily", "amiSelector", "blockDeviceMappings", "instanceProfile", "metadataOptions", "securityGroupSelector",
    "userData"};
constexpr int64_t kMinVolumeBytes = 1'000'000'000, kMaxVolumeBytes = int64_t{64} << 40;  // 1G, 64Ti
constexpr int64_t kMaxHops = 64;

template <class List>
bool in(const List& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

bool has(const value& spec, std::string_view field) { return json::find(spec, {field}) != nullptr; }

// The webhook searched with a pattern without anchors: "x-subnet-1" holds an id.
bool holds_id(std::string_view text, std::string_view prefix) {
  for (size_t at = text.find(prefix); at != std::string_view::npos; at = text.find(prefix, at + 1)) {
    const size_t next = at + prefix.size();
    if (next < text.size() && ((text[next] >= '0' && text[next] <= '9') || (text[next] >= 'a' && text[next] <= 'z')))
      return true;
  }
  return false;
}

class ProviderCheck {
 public:
  explicit ProviderCheck(const value& spec) : spec_(spec) {}

  void launch_template() {
    if (!has(spec_, "launchTemplate")) return;
    for (const std::string_view field : kNotWithTemplate) {
      if (has(spec_, field)) refuse("expected exactly one, got both", path("launchTemplate") + ", " + path(field));
    }
  }

  void selector(std::string_view field, std::string_view id_prefix, bool required) {
    if (!has(spec_, field)) {
      if (required) refuse("missing field(s)", path(field));
      return;
    }
    for (const auto& [key, text] : json::object_at(spec_, {field})) {
      const std::string where = path(field) + "['" + std::string(key) + "']";
      if (key.empty() || !text.is_string() || text.get_string().empty()) {
        refuse("invalid value: \"\"", where);
      } else if (key == "aws-ids" || key == "aws::ids") {
        for (const std::string_view id : split(text.get_string(), ',')) {
          if (!holds_id(id, id_prefix))
            refuse("invalid value: " + std::string(id), where,
                   "must match regex: " + std::string(id_prefix) + "[0-9a-z]+");
        }
      }
    }
  }

  void family() {
    const std::string name(json::string_at(spec_, {"amiFamily"}));
    if (!name.empty() && !in(kFamilies, name))
      refuse("invalid value: " + name + " not in [Bottlerocket AL2 Ubuntu Custom]", path("amiFamily"));
  }

  void tags() {
    for (const auto& [key, text] : json::object_at(spec_, {"tags"})) {
      if (key.empty())
        refuse("invalid value: the tag with key : '' and value : '" +
                   std::string(text.is_string() ? std::string_view(text.get_string()) : "") +
                   "' is invalid because tag keys aren't allowed to be empty",
               path("tags"));
    }
  }

  void metadata_options() {
    const value* options = json::find(spec_, {"metadataOptions"});
    if (options == nullptr) return;
    const auto one_of = [&](std::string_view field, std::string_view a, std::string_view b) {
      const std::string text(json::string_at(*options, {field}));
      if (!text.empty() && text != a && text != b)
        refuse("invalid value: " + text + " not in [" + std::string(a) + " " + std::string(b) + "]",
               path("metadataOptions") + "." + std::string(field));
    };
    one_of("httpEndpoint", "disabled", "enabled");
    one_of("httpProtocolIPv6", "disabled", "enabled");
    one_of("httpTokens", "optional", "required");
    const int64_t hops = json::int_at(*options, {"httpPutResponseHopLimit"}, 1);
    if (hops < 1 || hops > kMaxHops)
      refuse("expected 1 <= " + std::to_string(hops) + " <= " + std::to_string(kMaxHops),
             path("metadataOptions") + ".httpPutResponseHopLimit");
  }

  void devices() {
    const json::array& all = json::array_at(spec_, {"blockDeviceMappings"});
    for (size_t i = 0; i < all.size(); ++i) {
      const std::string where = path("blockDeviceMappings") + "[" + std::to_string(i) + "]";
      if (json::string_at(all[i], {"deviceName"}).empty()) refuse("missing field(s)", where + ".deviceName");
      const value* ebs = json::find(all[i], {"ebs"});
      if (ebs == nullptr) {
        refuse("missing field(s)", where + ".ebs");
        continue;
      }
      const std::string type(json::string_at(*ebs, {"volumeType"}));
      if (!type.empty() && !in(kVolumeTypes, type)) refuse("invalid value: " + type, where + ".ebs.volumeType");
      volume_size(*ebs, where + ".ebs.volumeSize");
    }
  }

  std::vector<FieldError> errors;

 private:
  void volume_size(const value& ebs, const std::string& where) {
    const value* size = json::find(ebs, {"volumeSize"});
    if (size == nullptr) {
      if (!has(ebs, "snapshotID")) refuse("missing field(s)", where);
      return;
    }
    const std::string text = size->is_string() ? std::string(size->get_string()) : json::to_string(*size);
    const auto quantity = model::parse_quantity(text);
    const int64_t bytes = quantity ? quantity->ceil_units() : 0;
    if (bytes < kMinVolumeBytes || bytes > kMaxVolumeBytes) refuse("expected 1G <= " + text + " <= 64Ti", where);
  }
  static std::string path(std::string_view field) { return "spec.provider." + std::string(field); }
  void refuse(std::string message, std::string where, std::string details = {}) {
    errors.push_back({std::move(message), std::move(where), std::move(details)});
  }
  const value& spec_;
};

std::vector<FieldError> validate_spec(const value& spec) {
  ProviderCheck check(spec);
  check.launch_template();
  check.selector("subnetSelector", "subnet-", true);
  check.selector("securityGroupSelector", "sg-", !has(spec, "launchTemplate"));
  check.selector("amiSelector", "ami-", false);
  check.family();
  check.tags();
  check.metadata_options();
  check.devices();
  return std::move(check.errors);
}

const value& none() {
  static const value empty = json::object();
  return empty;
}

}  // namespace

std::vector<FieldError> validate_provider(const value& provider) {
  std::vector<FieldError> errors = validate_spec(provider);
  if (!provider.is_object()) return errors;
  for (const auto& [field, unused] : provider.get_object()) {  // the CRD does not describe an inline provider
    if (!in(kFields, field)) errors.push_back({"json: unknown field \"" + std::string(field) + "\"", "spec.provider"});
  }
  return errors;
}

std::vector<FieldError> validate_node_template(const value& node_template) {
  const value* spec = json::find(node_template, {"spec"});
  std::vector<FieldError> errors = validate_spec(spec == nullptr ? none() : *spec);
  const bool custom = spec != nullptr && json::string_at(*spec, {"amiFamily"}) == "Custom";
  if (custom && !has(*spec, "amiSelector")) errors.push_back({"missing field(s)", "spec.amiSelector"});
  return errors;
}

}  // namespace tenon::legacy
