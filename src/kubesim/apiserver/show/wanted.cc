// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/show/wanted.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace tenon::kubesim::apiserver {

Wanted negotiate(std::string_view accept, const std::vector<Wanted::Form>& forms) {
  if (trim(accept).empty()) return {};
  for (std::string_view entry : split(accept, ',')) {
    std::string_view type = trim(cut(entry, ';').first);
    std::string as, version;
    for (std::string_view parameter : split(entry, ';')) {
      const auto [key, text] = cut(trim(parameter), '=');
      if (key == "as") as = text;
      if (key == "v") version = text;
    }
    const bool yaml = type == "application/yaml";
    const bool known = yaml || type == "application/json" || type == "*/*" || type == "application/*" ||
                       type == "application/vnd.kubernetes.protobuf";
    if (!known) continue;
    if (as.empty()) return {yaml ? Wanted::Form::kYaml : Wanted::Form::kJson};
    static constexpr std::pair<std::string_view, Wanted::Form> kForms[] = {
        {"Table", Wanted::Form::kTable},
        {"PartialObjectMetadata", Wanted::Form::kPartialMetadata},
        {"PartialObjectMetadataList", Wanted::Form::kPartialMetadata},
        {"APIGroupDiscoveryList", Wanted::Form::kDiscovery}};
    for (const auto& [name, form] : kForms) {
      if (as == name && std::count(forms.begin(), forms.end(), form) != 0) return {form, version};
    }
  }
  return {Wanted::Form::kNone};
}

}  // namespace tenon::kubesim::apiserver
