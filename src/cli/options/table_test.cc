// The rows of the option table: complete, bound, unique, and in the field's English.
// SPDX-License-Identifier: Apache-2.0
#include "cli/options/table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "cli/options/testing/help_rules.h"
#include "cli/options/testing/reference.h"

namespace tenon::cli {
namespace {

constexpr const char* kPage = TENON_SOURCE_DIR "/docs/reference/cli.md";

TEST(OptionTable, HelpTextsAreCompletePhrases) {
  for (const Row& row : option_rows()) {
    if (row.field == nullptr) continue;
    EXPECT_EQ(testing::help_problem(row.help), "") << row.flag << ": " << row.help;
  }
  for (const CommandRow& command : command_rows()) {
    EXPECT_EQ(testing::help_problem(command.help), "") << command.name << ": " << command.help;
  }
}

TEST(HelpRules, RefuseHeadlessTexts) {
  for (const char* help :
       {"", "Port", "its endpoint", "Its endpoint", "of the API server", "Of the API server", "The same of subnets",
        "That one NodeClaim may list", "Or after this time", "As the controller's flag", "By default the cluster",
        "Where to write the kubeconfig", "How long AMIs count", "What would be launched", "Why a pod is placed",
        "Port of the API server.", "Port of\nthe API server"}) {
    EXPECT_NE(testing::help_problem(help), "") << help;
  }
  EXPECT_NE(testing::help_problem("Port " + std::string(testing::kMaxHelp, 'x')), "");
  for (const char* help : {"Output format", "Port of the API server; 0 selects a free port", "Formats of log lines",
                           "Run the controllers against a cluster", "Spread as podTopologySpread: [...]"}) {
    EXPECT_EQ(testing::help_problem(help), "") << help;
  }
}

TEST(OptionTable, EachSubcommandHasAMemberForEachOptionThatItAccepts) {
  CommandLine line;
  for (const Row& row : option_rows()) {
    bool accepted = false;
    for (const CommandRow& command : command_rows()) {
      if (!row.in.has(command.command)) {
        EXPECT_FALSE(row.from_environment.has(command.command)) << row.flag << " of " << command.name;
        continue;
      }
      accepted = true;
      if (row.field == nullptr) continue;
      const Field field = row.field(line, command.command);
      EXPECT_NE(field.index(), 0u) << row.flag << " of " << command.name;
      if (const auto* text = std::get_if<std::string*>(&field); text && !row.allowed.empty()) {
        EXPECT_NE(std::find(row.allowed.begin(), row.allowed.end(), **text), row.allowed.end())
            << row.flag << " of " << command.name << ": its default, " << **text << ", is not allowed";
      }
    }
    EXPECT_TRUE(accepted) << row.flag << ": no subcommand accepts it";
  }
}

TEST(OptionTable, ASubcommandHasEachFlagAndEachMemberOnce) {
  CommandLine line;
  for (const CommandRow& command : command_rows()) {
    std::set<std::string> flags;
    std::set<Field> fields;
    for (const Row& row : option_rows()) {
      if (!row.in.has(command.command)) continue;
      EXPECT_TRUE(flags.insert(long_flag(row)).second) << command.name << " has two " << row.flag;
      if (row.field == nullptr) continue;
      EXPECT_TRUE(fields.insert(row.field(line, command.command)).second) << row.flag << " sets what another flag sets";
    }
  }
}

TEST(OptionTable, VariablesAreNamedAfterFlags) {
  EXPECT_EQ(variable({.flag = "--node-price"}), "NODE_PRICE");
  EXPECT_EQ(variable({.flag = "-o,--output"}), "OUTPUT");
}

TEST(OptionReference, IsThePageInTheDocuments) {
  std::ifstream file(kPage);
  std::stringstream committed;
  committed << file.rdbuf();
  const std::string page = testing::reference_page();
  const auto left = std::filesystem::temp_directory_path() / "tenon-cli.md";
  std::filesystem::remove(left);
  if (committed.str() == page) return;
  std::ofstream(left) << page;
  FAIL() << "docs/reference/cli.md differs from the table. If that is meant: cp " << left.string()
         << " docs/reference/cli.md";
}

}  // namespace
}  // namespace tenon::cli
