// SPDX-License-Identifier: Apache-2.0
#include "storm/objects.h"

#include "base/check.h"
#include "json/json.h"
#include "json/yaml.h"

namespace tenon::storm {

void create_object(kubesim::Api& api, const kubesim::Resource& resource, const std::string& ns,
                   const std::string& yaml) {
  const auto documents = json::parse_yaml(yaml);
  CHECK(documents.has_value() && documents->size() == 1, yaml);
  const auto created = api.create(resource, ns, documents->front());
  CHECK(created.has_value(), created ? "" : created.error().message);
}

void patch_object(kubesim::Api& api, const kubesim::Resource& resource, const std::string& ns, const std::string& name,
                  const std::string& json, std::string_view subresource) {
  const auto change = json::parse(json);
  CHECK(change.has_value(), json);
  const auto done = api.merge_patch(resource, ns, name, *change, subresource);
  CHECK(done.has_value() || done.error().code == Code::kNotFound, done ? "" : done.error().message + json);
}

}  // namespace tenon::storm
