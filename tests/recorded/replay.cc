// replay DIFFERENCES STORY…: fails on a difference that DIFFERENCES does not allow.
// replay --all DIFFERENCES FOLDER…: checks the lists as a whole: every allowed difference occurs somewhere, and each
// folder (one kubectl) has at least sixty different commands.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <filesystem>
#include <set>

#include "recorded/story.h"

namespace {

using tenon::recorded::Differences;
using tenon::recorded::Outcome;

constexpr size_t kCommands = 60;
constexpr size_t kMaxComplaints = 400;

int check_stories(Differences& differences, const std::vector<std::string>& files) {
  size_t wrong = 0;
  for (const std::string& file : files) {
    const auto outcome = tenon::recorded::replay(file, differences);
    if (!outcome) {
      std::printf("%s: %s\n", file.c_str(), outcome.error().message.c_str());
      return 2;
    }
    for (const std::string& complaint : outcome->complaints) {
      if (++wrong <= kMaxComplaints) std::printf("%s\n", complaint.c_str());
    }
    std::printf("%s: %zu commands, %d requests, %zu differences\n", file.c_str(), outcome->commands.size(),
                outcome->requests, outcome->complaints.size());
  }
  return wrong == 0 ? 0 : 1;
}

int check_lists(Differences& differences, const std::vector<std::string>& folders) {
  int code = 0;
  for (const std::string& folder : folders) {
    std::set<std::string> commands;
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
      const auto outcome = tenon::recorded::replay(file.path(), differences);
      if (outcome) commands.insert(outcome->commands.begin(), outcome->commands.end());
    }
    std::printf("%s: %zu commands\n", folder.c_str(), commands.size());
    if (commands.size() < kCommands) code = 1;
  }
  for (const std::string& entry : differences.unused()) {
    std::printf("allowed, but never met: %s\n", entry.c_str());
    code = 1;
  }
  return code;
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::string> rest(arguments + 1, arguments + count);
  const bool all = !rest.empty() && rest.front() == "--all";
  if (all) rest.erase(rest.begin());
  if (rest.size() < 2) {
    std::fprintf(stderr, "replay [--all] DIFFERENCES STORY|FOLDER...\n");
    return 2;
  }
  auto differences = Differences::load(rest.front());
  if (!differences) {
    std::printf("%s\n", differences.error().message.c_str());
    return 2;
  }
  rest.erase(rest.begin());
  return all ? check_lists(*differences, rest) : check_stories(*differences, rest);
}
