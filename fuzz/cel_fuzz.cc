// Any text as a CEL expression over a fixed document: it is rejected, or evaluates within its budget; typed and
// untyped.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/check.h"
#include "json/json.h"
#include "schema/cel/cel.h"

namespace {

using namespace tenon::cel;  // the driver tests this room

constexpr int64_t kSteps = 20'000;

std::shared_ptr<const DeclType> of(DeclType::Kind kind, std::shared_ptr<const DeclType> element = nullptr) {
  auto out = std::make_shared<DeclType>();
  out->kind = kind;
  out->element = std::move(element);
  return out;
}

std::shared_ptr<const DeclType> typed() {
  using Kind = DeclType::Kind;
  auto out = std::make_shared<DeclType>();
  out->kind = Kind::kObject;
  out->fields["i"] = {"i", of(Kind::kInt)};
  out->fields["d"] = {"d", of(Kind::kDouble)};
  out->fields["s"] = {"s", of(Kind::kString)};
  out->fields["t"] = {"t", of(Kind::kBool)};
  out->fields["l"] = {"l", of(Kind::kList, of(Kind::kInt))};
  out->fields["m"] = {"m", of(Kind::kMap, of(Kind::kInt))};
  out->fields["either"] = {"either", of(Kind::kIntOrString)};
  return out;
}

void evaluate(std::string_view text, const std::shared_ptr<const DeclType>& type, const tenon::json::value& document) {
  using tenon::Code;
  const auto program = Program::compile(text, {{"self", type}, {"oldSelf", type}});
  if (!program) {
    CHECK(program.error().code == Code::kInvalid, program.error().message);
    return;
  }
  const auto self = to_cel(document, *type);
  CHECK(self.has_value());
  Budget budget(kSteps);
  const auto result = (*program)->evaluate({*self, *self}, budget);
  CHECK(result || result.error().code == Code::kInvalid || result.error().code == Code::kThrottled);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const tenon::json::value document = *tenon::json::parse(
      R"({"i": 3, "d": 2.5, "s": "Hello, wörld", "t": true, "l": [1, 2, 3], "m": {"a": 1}, "either": "5%"})");
  static const auto dyn = of(DeclType::Kind::kDyn), declared = typed();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  evaluate(text, dyn, document);
  evaluate(text, declared, document);
  return 0;
}
