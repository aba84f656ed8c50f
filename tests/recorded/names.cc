// SPDX-License-Identifier: Apache-2.0
#include "recorded/names.h"

#include "base/text.h"
#include "http/message.h"
#include "json/json.h"

namespace tenon::recorded {

bool Names::pair(std::string_view recorded, std::string_view seen) {
  const auto [known, is_new] = seen_of_.emplace(recorded, seen);
  if (!is_new) return known->second == seen;
  return recorded_of_.emplace(seen, recorded).second;
}

bool Names::pair_version(std::string_view recorded, std::string_view seen, bool of_list) {
  if (of_list) {
    list_version_of_.insert_or_assign(std::string(recorded), std::string(seen));
    return true;
  }
  const auto [known, is_new] = version_of_.emplace(recorded, seen);
  if (!is_new) return known->second == seen;
  return recorded_version_of_.emplace(seen, recorded).second;
}

std::string Names::translate(std::string_view text) const {
  std::string result(text);
  for (const auto& [recorded, seen] : seen_of_) {
    for (size_t at = 0; (at = result.find(recorded, at)) != std::string::npos; at += seen.size()) {
      result.replace(at, recorded.size(), seen);
    }
  }
  return result;
}

std::string Names::translate_version(std::string_view recorded) const {
  for (const auto* known : {&version_of_, &list_version_of_}) {
    if (const auto found = known->find(recorded); found != known->end()) return found->second;
  }
  return std::string(recorded);
}

std::string Names::translate_query(std::string_view raw_query) const {
  std::string result;
  for (const std::string_view part : split(raw_query, '&')) {
    const auto [key, text] = cut(part, '=');
    const std::string decoded = percent_decode(text);
    const std::string now = key == "resourceVersion" ? translate_version(decoded) : translate(decoded);
    if (!result.empty()) result += '&';
    // A text without a known name is sent byte for byte.
    result += now == decoded ? std::string(part) : std::string(key) + "=" + percent_encode(now);
  }
  return result;
}

void Names::translate_body(json::value& body) const {
  if (body.is_array()) {
    for (json::value& item : body.get_array()) translate_body(item);
  } else if (body.is_object()) {
    const bool patches_version = json::string_at(body, {"path"}).ends_with("/resourceVersion");
    for (auto& member : body.get_object()) {
      const bool is_version = member.key() == "resourceVersion" || (patches_version && member.key() == "value");
      if (is_version && member.value().is_string()) {
        member.value() = translate_version(member.value().get_string());
      } else {
        translate_body(member.value());
      }
    }
  } else if (body.is_string()) {
    body = translate(body.get_string());
  }
}

}  // namespace tenon::recorded
