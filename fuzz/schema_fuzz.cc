// A JSON array [schema, object, old object]: the schema is rejected, or an object of it can be pruned, defaulted and
// validated. Pruning twice gives the same result, and so does defaulting.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "json/json.h"
#include "schema/schema.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tenon;
  const auto input = json::parse({reinterpret_cast<const char*>(data), size});
  if (!input || !input->is_array() || input->as_array().size() != 3) return 0;
  const json::array& parts = input->as_array();
  const auto schema = schema::CrdSchema::compile(parts[0]);
  if (!schema) {
    CHECK(schema.error().code == Code::kInvalid, schema.error().message);
    return 0;
  }
  json::value object = parts[1];
  (*schema)->prune(object);
  CHECK((*schema)->prune(object).empty());
  const auto causes = (*schema)->validate(object, parts[2].is_null() ? nullptr : &parts[2]);
  for (const auto& cause : causes) CHECK(!cause.field.empty() && !cause.message.empty() && !cause.reason.empty());
  (*schema)->apply_defaults(object);
  const json::value once = object;
  (*schema)->apply_defaults(object);
  CHECK(object == once);
  return 0;
}
