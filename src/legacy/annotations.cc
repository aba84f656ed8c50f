// SPDX-License-Identifier: Apache-2.0
#include "legacy/annotations.h"

#include <utility>

#include "json/json.h"

namespace tenon::legacy {

std::string annotation(const json::value& document, std::string_view key) {
  return std::string(json::string_at(document, {"metadata", "annotations", key}));
}

void annotate(json::value& document, std::string_view key, std::string text) {
  json::ensure(document, {"metadata", "annotations", key}) = std::move(text);
}

void drop_annotation(json::value& document, std::string_view key) {
  if (json::find(document, {"metadata", "annotations", key}) == nullptr) return;
  json::erase(document, {"metadata", "annotations", key});
  if (json::object_at(document, {"metadata", "annotations"}).empty())
    json::erase(document, {"metadata", "annotations"});
}

}  // namespace tenon::legacy
