// SPDX-License-Identifier: Apache-2.0
#include "cli/shell/build_info.h"

namespace tenon::cli {
namespace {

#ifdef __clang__
constexpr std::string_view kCompiler = "clang++ " __clang_version__;
#else
constexpr std::string_view kCompiler = "g++ " __VERSION__;
#endif

}  // namespace

BuildInfo build_info() {
  return {.version = TENON_VERSION, .commit = TENON_COMMIT, .compiler = kCompiler, .date = TENON_DATE};
}

}  // namespace tenon::cli
