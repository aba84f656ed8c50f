// Where this binary comes from, as `tenon version` prints it. The values are compiled in; none of them changes at run
// time. Thread rule: any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace tenon::cli {

struct BuildInfo {
  std::string_view version;   // "0.2.0"
  std::string_view commit;    // 40 hexadecimal digits, with "-dirty" if files were changed; empty: not built from git
  std::string_view compiler;  // "g++ 12.2.0"
  std::string_view date;      // of SOURCE_DATE_EPOCH, RFC 3339; empty: it was not set, and no clock is read instead
};

BuildInfo build_info();

}  // namespace tenon::cli
