// The `tenon` binary: reads the command line and calls one file per subcommand.
// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "cli/adopt/adopt_command.h"
#include "cli/controller/controller_command.h"
#include "cli/convert/convert_command.h"
#include "cli/demo/demo_command.h"
#include "cli/demo/fake_aws_command.h"
#include "cli/install/install_command.h"
#include "cli/options/command_line.h"
#include "cli/options/options.h"
#include "cli/plan/plan_command.h"
#include "cli/process/heap.h"
#include "cli/shell/completion.h"
#include "cli/shell/manual.h"
#include "cli/shell/version_command.h"
#include "cli/validate/validate_command.h"
#include "cli/why/why_command.h"

namespace {

int run(const tenon::cli::CommandLine& line) {
  namespace cli = tenon::cli;
  switch (line.command) {
    case cli::Command::kDemo: return cli::run_demo(line.demo);
    case cli::Command::kAdvance: return cli::run_demo_advance(line.demo.kubeconfig, line.advance.span);
    case cli::Command::kController: return cli::run_controller(line.controller, line.without_effect);
    case cli::Command::kPlan: return cli::run_plan(line.plan, std::cout, std::cerr);
    case cli::Command::kWhy: return cli::run_why(line.why, std::cout, std::cerr);
    case cli::Command::kConvert: return cli::run_convert(line.convert, std::cin, std::cout, std::cerr);
    case cli::Command::kAdopt: return cli::run_adopt(line.adopt, std::cout, std::cerr);
    case cli::Command::kValidate: return cli::run_validate(line.validate, std::cin, std::cout, std::cerr);
    case cli::Command::kInstall: return cli::run_install(line.install, std::cout, std::cerr);
    case cli::Command::kFakeAws: return cli::run_fake_aws(line.fake_aws);
    case cli::Command::kVersion: return cli::run_version(line.version, std::cout, std::cerr);
    case cli::Command::kCompletion: std::cout << cli::completion_script(line.completion.shell); break;
    case cli::Command::kMan: return cli::run_man(line.man, std::cerr);
  }
  return cli::kExitDone;
}

}  // namespace

int main(int argc, char** argv) {
  tenon::cli::merge_freed_blocks();
  tenon::cli::CommandLine line;
  if (const auto code = tenon::cli::parse_command_line(argc, argv, line, std::cout, std::cerr)) return *code;
  if (line.command != tenon::cli::Command::kController) {
    for (const std::string& name : line.without_effect) std::cerr << "tenon: " << name << " has no effect here\n";
  }
  return run(line);
}
