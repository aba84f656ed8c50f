// A driver with a planted bug, which mutations of its corpus must find.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 3 && data[0] == 't' && data[1] == 'e' && data[2] > 'x') std::exit(1);
  return 0;
}
