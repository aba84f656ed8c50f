// SPDX-License-Identifier: Apache-2.0
#include "cli/install/install_command.h"

#include <ostream>

#include "base/text.h"
#include "cli/install/parts.h"
#include "cli/install/settings.h"

namespace tenon::cli {
namespace {

Result<std::string> render(const InstallOptions& options) {
  std::vector<std::string> known;
  for (const install::Part& part : install::parts()) {
    if (part.name == options.what) {
      return part.render({TRY(install::parse_settings(options.settings)), options.only});
    }
    known.emplace_back(part.name);
  }
  return fail(Code::kInvalid, "\"" + options.what + "\" cannot be printed; known: " + join(known, ", "));
}

}  // namespace

int run_install(const InstallOptions& options, std::ostream& out, std::ostream& err) {
  const Result<std::string> text = render(options);
  if (!text) {
    err << "tenon install: " << text.error().message << "\n";
    return kExitUsage;
  }
  out << *text;
  return kExitDone;
}

}  // namespace tenon::cli
