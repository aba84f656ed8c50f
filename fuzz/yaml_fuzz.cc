// Any text: it is rejected, or its value is equal after writing and reading.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "json/json.h"
#include "json/yaml.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tenon;
  const auto documents = json::parse_yaml({reinterpret_cast<const char*>(data), size});
  if (!documents) {
    CHECK(documents.error().code == Code::kInvalid, documents.error().message);
    return 0;
  }
  for (const json::value& document : *documents) {
    const std::string text = json::to_yaml(document);
    const auto back = json::parse_yaml(text);
    CHECK(back.has_value() && back->size() == 1, text);
    CHECK(json::to_string(back->front()) == json::to_string(document), text);
  }
  return 0;
}
