// SPDX-License-Identifier: Apache-2.0
#include "cli/options/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/options/table.h"

namespace tenon::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Parsed {
  std::optional<int> code;
  CommandLine line;
  std::string out, err;
};

// With the environment that a test sets, and no other variable of ours.
class CommandLineTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const Row& row : option_rows()) ::unsetenv(variable(row).c_str());
  }
  void TearDown() override { SetUp(); }

  static void set(const char* name, const char* value) { ::setenv(name, value, 1); }
  static Parsed parse(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "tenon");
    Parsed parsed;
    std::ostringstream out, err;
    parsed.code = parse_command_line(static_cast<int>(arguments.size()), arguments.data(), parsed.line, out, err);
    parsed.out = out.str();
    parsed.err = err.str();
    return parsed;
  }
};

TEST_F(CommandLineTest, AFlagCountsBeforeItsVariableAndThatBeforeTheDefault) {
  EXPECT_EQ(parse({"controller"}).line.controller.batch_idle, 1s);
  set("BATCH_IDLE_DURATION", "2s");
  EXPECT_EQ(parse({"controller"}).line.controller.batch_idle, 2s);
  EXPECT_EQ(parse({"controller", "--batch-idle-duration", "3s"}).line.controller.batch_idle, 3s);
  set("BATCH_IDLE_DURATION", "");
  EXPECT_EQ(parse({"controller"}).line.controller.batch_idle, 1s);
}

TEST_F(CommandLineTest, ThePrecedenceHoldsForSwitches) {
  EXPECT_FALSE(parse({"controller"}).line.controller.isolated_vpc);
  set("ISOLATED_VPC", "true");
  EXPECT_TRUE(parse({"controller"}).line.controller.isolated_vpc);
  EXPECT_FALSE(parse({"controller", "--isolated-vpc=false"}).line.controller.isolated_vpc);
  set("ISOLATED_VPC", "false");
  EXPECT_TRUE(parse({"controller", "--isolated-vpc"}).line.controller.isolated_vpc);
}

TEST_F(CommandLineTest, EachVariableIsReadByTheSubcommandsOfItsRow) {
  for (const Row& row : option_rows()) {
    if (row.field == nullptr) continue;
    for (const Command command : {Command::kDemo, Command::kController}) {
      if (!row.in.has(command)) continue;
      CommandLine defaults;
      const Field field = row.field(defaults, command);
      std::string other = "7m";  // of another value than the default
      if (std::holds_alternative<bool*>(field))
        other = *std::get<bool*>(field) ? "false" : "true";
      else if (!std::holds_alternative<Duration*>(field))
        other = "7";
      for (const std::string& value : row.allowed) {
        if (std::holds_alternative<std::string*>(field) && value != *std::get<std::string*>(field)) other = value;
      }
      if (row.allowed.size() == 1) continue;
      SetUp();
      set(variable(row).c_str(), other.c_str());
      Parsed with = parse({command == Command::kDemo ? "demo" : "controller"});
      EXPECT_EQ(with.code, std::nullopt) << row.flag << ": " << with.err;
      const auto same = [](auto* a, auto* b) -> bool {
        if constexpr (std::is_same_v<decltype(a), decltype(b)>) return *a == *b;
        return false;
      };
      const bool equal = std::visit(
          [&](auto a) -> bool {
            if constexpr (std::is_same_v<decltype(a), std::monostate>) {
              return true;
            } else {
              return same(a, std::get<decltype(a)>(row.field(with.line, command)));
            }
          },
          field);
      EXPECT_EQ(equal, !row.from_environment.has(command)) << row.flag;
    }
  }
}

TEST_F(CommandLineTest, VariablesOfOtherSubcommandsAreNotRead) {
  set("METRICS_PORT", "a word");
  set("MEMORY_LIMIT", "1");
  const Parsed version = parse({"version"});
  EXPECT_EQ(version.code, std::nullopt) << version.err;
  EXPECT_THAT(version.line.without_effect, ElementsAre());
  EXPECT_EQ(parse({"controller"}).code, kExitUsage);
}

TEST_F(CommandLineTest, UnknownArgumentsAreRefused) {
  for (const std::vector<const char*>& arguments : {std::vector<const char*>{"controller", "--no-such-option"},
                                                    {"--no-such-option"},
                                                    {"plan", "-f", "a", "-o", "json", "b"},
                                                    {"no-such-command"},
                                                    {"demo", "advance", "720h", "--seed", "1"},
                                                    {"demo", "--metrics-port", "1"},
                                                    {}}) {
    const Parsed parsed = parse(arguments);
    EXPECT_EQ(parsed.code, kExitUsage) << ::testing::PrintToString(arguments);
    EXPECT_THAT(parsed.err, HasSubstr("Run with --help for more information."));
    EXPECT_EQ(parsed.out, "");
  }
}

TEST_F(CommandLineTest, InvalidValuesAreRefusedByName) {
  struct Case {
    std::vector<const char*> arguments;
    const char* problem;
  };
  const Case cases[] = {
      {{"controller", "--metrics-port", "65536"}, "--metrics-port"},
      {{"controller", "--batch-idle-duration", "1"}, "--batch-idle-duration: \"1\" is not a duration such as 10s"},
      {{"controller", "--cloud", "gcp"}, "--cloud: gcp not in {aws,kwok}"},
      {{"plan", "-f", "a", "--max-instance-types", "0"}, "--max-instance-types: Value 0 not in range 1 to 10000"},
      {{"demo", "--speed", "0.01"}, "--speed: Value 0.01 not in range"},
      {{"demo", "advance", "720"}, "SPAN: \"720\" is not a duration"},
      {{"demo", "advance"}, "SPAN is required"},
      {{"plan"}, "--filename is required"},
      {{"why", "-f", "a"}, "SUBJECT is required"},
  };
  for (const Case& c : cases) {
    const Parsed parsed = parse(c.arguments);
    EXPECT_EQ(parsed.code, kExitUsage);
    EXPECT_THAT(parsed.err, HasSubstr(c.problem));
  }
}

TEST_F(CommandLineTest, TheSubcommandAndItsArguments) {
  const Parsed plan = parse({"plan", "-f", "a", "-f", "b", "--ignore-dra-requests", "false", "-o", "json"});
  EXPECT_EQ(plan.line.command, Command::kPlan);
  EXPECT_THAT(plan.line.plan.files, ElementsAre("a", "b"));
  EXPECT_FALSE(plan.line.plan.ignore_dra_requests);
  EXPECT_EQ(plan.line.plan.output, "json");
  const Parsed why = parse({"why", "pod/a", "-f", "a", "--node-price", "0"});
  EXPECT_EQ(why.line.command, Command::kWhy);
  EXPECT_EQ(why.line.why.subject, "pod/a");
  EXPECT_EQ(why.line.why.plan.node_price, "0");
  EXPECT_EQ(why.line.why.plan.output, "text");
  const Parsed advance = parse({"demo", "--kubeconfig-out", "k", "advance", "720h"});
  EXPECT_EQ(advance.line.command, Command::kAdvance);
  EXPECT_EQ(advance.line.advance.span, 720h);
  EXPECT_EQ(advance.line.demo.kubeconfig, "k");
}

TEST_F(CommandLineTest, OptionsWithoutEffectAreNamedOnce) {
  set("MEMORY_LIMIT", "1");
  set("AWS_FEATURE_GATES", "NodeClassCEL=true");
  const Parsed controller = parse({"controller", "--memory-limit", "2", "--disable-controller-warmup"});
  EXPECT_THAT(controller.line.without_effect,
              ElementsAre("--memory-limit (MEMORY_LIMIT)", "--aws-feature-gates (AWS_FEATURE_GATES)",
                          "--disable-controller-warmup (DISABLE_CONTROLLER_WARMUP)"));
  EXPECT_THAT(parse({"plan", "-f", "a", "--reserved-enis", "1"}).line.without_effect, ElementsAre("--reserved-enis"));
}

TEST_F(CommandLineTest, HelpNamesEachOptionThatIsNotHidden) {
  for (const CommandRow& command : command_rows()) {
    std::vector<const char*> arguments{command.name.data(), "--help"};
    if (command.parent) arguments.insert(arguments.begin(), "demo");
    const Parsed parsed = parse(arguments);
    EXPECT_EQ(parsed.code, kExitDone);
    EXPECT_THAT(parsed.out, HasSubstr(std::string(command.help)));
    for (const Row& row : option_rows()) {
      if (!row.in.has(command.command)) continue;
      const bool listed = row.field != nullptr && !row.hidden;
      const bool shown = parsed.out.find("  " + std::string(row.flag) + " ") != std::string::npos;
      EXPECT_EQ(shown, listed) << command.name << " " << row.flag;
      EXPECT_EQ(parsed.out.find(std::string(row.help)) != std::string::npos, listed || row.help.empty()) << row.flag;
    }
  }
}

// A file that is removed with it.
class ConfigFile {
 public:
  explicit ConfigFile(const std::string& text)
      : path_(std::filesystem::temp_directory_path() / ("tenon-config-" + std::to_string(::getpid()) + ".yaml")) {
    std::ofstream(path_) << text;
  }
  ~ConfigFile() { std::filesystem::remove(path_); }
  const char* path() const { return path_.c_str(); }

 private:
  std::filesystem::path path_;
};

TEST_F(CommandLineTest, AFlagCountsBeforeAVariableAndAVariableBeforeTheFile) {
  const ConfigFile file(
      "cluster-name: of-file\nmetrics-port: 1\nnode-price: 0.02\nisolated-vpc: true\nbatch-idle-duration: 2s\n"
      "memory-limit: 3\n");
  set("METRICS_PORT", "2");
  set("NODE_PRICE", "0.03");
  const Parsed parsed = parse({"controller", "--config", file.path(), "--node-price", "0.04"});
  ASSERT_EQ(parsed.code, std::nullopt) << parsed.err;
  EXPECT_EQ(parsed.line.controller.cluster_name, "of-file");
  EXPECT_EQ(parsed.line.controller.metrics_port, 2);
  EXPECT_EQ(parsed.line.controller.node_price, "0.04");
  EXPECT_TRUE(parsed.line.controller.isolated_vpc);
  EXPECT_EQ(parsed.line.controller.batch_idle, 2s);
  EXPECT_EQ(parsed.line.controller.health_probe_port, 8081);
  EXPECT_THAT(parsed.line.without_effect, ElementsAre("--memory-limit (MEMORY_LIMIT)"));
}

TEST_F(CommandLineTest, AnEmptyFileSetsNothing) {
  const ConfigFile file("");
  EXPECT_EQ(parse({"controller", "--cluster-name", "a", "--config", file.path()}).code, std::nullopt);
}

TEST_F(CommandLineTest, AFileIsRefusedWithLineAndOption) {
  struct Case {
    const char *text, *problem;
  };
  const Case cases[] = {
      {"cluster-name: a\nclustername: b\n", ": line 2: clustername: no option of tenon controller"},
      {"config: other.yaml\n", ": line 1: config: no option of tenon controller"},
      {"scenario: consolidate\n", ": line 1: scenario: no option of tenon controller"},
      {"help: true\n", ": line 1: help: no option of tenon controller"},
      {"\nmetrics-port: 65536\n", ": line 2: metrics-port: "},
      {"log-format: xml\n", ": line 1: log-format: "},
      {"batch-max-duration: 10\n", ": line 1: batch-max-duration: "},
      {"feature-gates:\n  NodeOverlay: true\n", ": line 1: feature-gates: the value must be a text"},
      {"- cluster-name\n", "not a mapping of options"},
      {"a: b\n---\nc: d\n", "more than one YAML document"},
      {"a: [\n", "line "},
  };
  for (const Case& c : cases) {
    const ConfigFile file(c.text);
    const Parsed parsed = parse({"controller", "--config", file.path()});
    EXPECT_EQ(parsed.code, kExitUsage) << c.text;
    EXPECT_THAT(parsed.err, HasSubstr(std::string(file.path()))) << c.text;
    EXPECT_THAT(parsed.err, HasSubstr(c.problem)) << c.text;
  }
  const Parsed missing = parse({"controller", "--config", "/nonexistent/tenon.yaml"});
  EXPECT_EQ(missing.code, kExitUsage);
  EXPECT_THAT(missing.err, HasSubstr("/nonexistent/tenon.yaml: cannot be read: No such file or directory"));
  EXPECT_THAT(parse({"controller", "--config", "/tmp"}).err, HasSubstr("/tmp: cannot be read: Is a directory"));
}

TEST_F(CommandLineTest, EverySubcommandRefusesUnknownFlags) {
  for (const CommandRow& command : command_rows()) {
    std::vector<const char*> arguments{command.name.data(), "--no-such-option"};
    if (command.parent) arguments.insert(arguments.begin(), "demo");
    EXPECT_EQ(parse(arguments).code, kExitUsage) << command.name;
  }
}

}  // namespace
}  // namespace tenon::cli
