// A row of the option table (cli/options/table.h): everything that the command line, the environment variables and the
// reference page say about one option. Its type and its default are those of the struct member that it is bound to.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cli/options/options.h"

namespace tenon::cli {

// The subcommands; kAdvance is `tenon demo advance`.
enum class Command : unsigned {
  kDemo,
  kAdvance,
  kController,
  kPlan,
  kWhy,
  kConvert,
  kAdopt,
  kValidate,
  kInstall,
  kFakeAws,
  kVersion,
  kCompletion,
  kMan
};

class Commands {
 public:
  constexpr Commands() = default;
  constexpr Commands(std::initializer_list<Command> commands) {
    for (const Command command : commands) bits_ |= bit(command);
  }
  constexpr bool has(Command command) const { return (bits_ & bit(command)) != 0; }

 private:
  static constexpr unsigned bit(Command command) { return 1U << static_cast<unsigned>(command); }
  unsigned bits_ = 0;
};

// The options of all subcommands. Only those of `command` are set from the command line and the environment.
struct CommandLine {
  Command command = Command::kVersion;
  DemoOptions demo;
  AdvanceOptions advance;
  ControllerOptions controller;
  PlanOptions plan;
  WhyOptions why;
  ConvertOptions convert;
  AdoptOptions adopt;
  ValidateOptions validate;
  InstallOptions install;
  FakeAwsCommandOptions fake_aws;
  VersionOptions version;
  CompletionOptions completion;
  ManOptions man;
  // Options of Karpenter without effect that were given: "--memory-limit (MEMORY_LIMIT)", or the flag alone if it has
  // no variable. Each is named once.
  std::vector<std::string> without_effect;
};

// The member that an option sets; it holds the default before the command line is parsed.
using Field = std::variant<std::monostate, std::string*, std::vector<std::string>*, bool*, int*, int64_t*, uint16_t*,
                           uint64_t*, double*, Duration*>;

// The headings of --help and of the reference page, in their order.
enum class Group { kInput, kOutput, kCluster, kDecisions, kAws, kLeadership, kMonitoring, kDemo };

struct Range {
  double min, max;
};

struct Row {
  std::string_view flag;  // "--node-price"; "-o,--output" with a short form; "SPAN", without dashes: positional
  Commands in;            // the subcommands that accept it
  Group group;
  // Returns the member that `command` uses, of a type that decides how the value is read; null: an option of Karpenter
  // that is accepted without effect and is not listed by --help.
  Field (*field)(CommandLine& line, Command command) = nullptr;
  std::string_view help = {};             // a complete phrase: testing/help_rules.h
  std::string names = {};                 // printed behind the help text: names that the value may contain
  Commands from_environment = {};         // the subcommands that also read variable()
  std::vector<std::string> allowed = {};  // the only valid values; empty: any
  std::optional<Range> range = {};        // of a number
  bool file = false;                      // the value is a path
  bool required = false;                  // positional arguments are always required
  bool takes_value = true;                // false for a bool: --flag alone means true, --flag=false is possible
  bool hidden = false;                    // for tests: neither in --help nor in the reference
};

// Returns the long form of the flag: "--output" for "-o,--output".
std::string long_flag(const Row& row);
// Returns the environment variable of a flag: NODE_PRICE for --node-price.
std::string variable(const Row& row);
// Returns the heading of a group.
std::string_view heading(Group group);

}  // namespace tenon::cli
