// Any text as a message of the interruption queue: it names instances only if it is about instances, and reports an
// error only if it has one.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "cloud/aws_provider/interruption/interruption_message.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tenon;
  using cloud::InterruptionKind;
  const Instant sent(std::chrono::seconds(1));
  const auto read = cloud::parse_interruption({reinterpret_cast<const char*>(data), size}, sent);
  const bool says_nothing = read.kind == InterruptionKind::kNoOp || read.kind == InterruptionKind::kMalformed;
  CHECK(read.instance_ids.empty() == says_nothing, "an id too many, or one that is missing");
  CHECK(read.problem.empty() == (read.kind != InterruptionKind::kMalformed), read.problem);
  CHECK(std::none_of(read.instance_ids.begin(), read.instance_ids.end(), [](const auto& id) { return id.empty(); }));
  return 0;
}
