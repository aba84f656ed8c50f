// Content negotiation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tenon::kubesim::apiserver {

// The form of the response that the Accept header requests.
struct Wanted {
  enum class Form { kJson, kYaml, kTable, kPartialMetadata, kDiscovery, kNone };
  Form form = Form::kJson;
  std::string version = {};  // of kTable, kPartialMetadata and kDiscovery: v1, v1beta1, v2
};
// Returns the form of the first accepted media type that the server supports, or kNone. Protobuf counts as JSON.
// `forms`: the supported values of as=….
Wanted negotiate(std::string_view accept, const std::vector<Wanted::Form>& forms);

}  // namespace tenon::kubesim::apiserver
