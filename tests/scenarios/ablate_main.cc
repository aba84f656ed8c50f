// ablate [NAME…]: removes from each scenario the field that carries its rule (rule.h), and expects that the scenario
// then fails. NAME: a folder, or folder/scenario; all folders otherwise. Exit code 1: a scenario passes without the
// field, is not valid without it, or states no rule. ablate --fields NAME…: prints the effect of removing each field,
// to find the one that carries the rule.
// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <atomic>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <thread>

#include "ablation.h"
#include "expectation.h"

namespace {

using namespace tenon::scenarios;
namespace fs = std::filesystem;

constexpr std::string_view kFolders[] = {"plan", "scheduling", "disruption", "life-cycle", "aws", "faults"};

std::vector<std::string> files_of(const std::vector<std::string>& names) {
  std::vector<std::string> files;
  for (const std::string& name : names) {
    const std::string path = TENON_SCENARIOS "/" + name;
    if (!fs::is_directory(path)) {
      files.push_back(path + ".yaml");
      continue;
    }
    for (std::string& file : scenario_files(path)) files.push_back(std::move(file));
  }
  return files;
}

std::string name_of(const fs::path& file) { return file.parent_path().filename() / file.stem(); }

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Scenarios without the field that carries their rule.");
  std::vector<std::string> names(std::begin(kFolders), std::end(kFolders));
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  bool fields = false;
  app.add_option("name", names, "a folder, or folder/scenario");
  app.add_option("--jobs", jobs, "scenarios at a time")->capture_default_str();
  app.add_flag("--fields", fields, "what happens without each field");
  CLI11_PARSE(app, argc, argv);
  const std::vector<std::string> files = files_of(names);
  std::atomic<size_t> next = 0, rules = 0, problems = 0;
  std::mutex mutex;
  const auto work = [&] {
    for (size_t i = next++; i < files.size(); i = next++) {
      const std::vector<Ablation> done = fields ? ablate_fields(files[i]) : ablate(files[i]);
      const std::lock_guard lock(mutex);
      for (const Ablation& one : done) {
        ++rules;
        const bool wrong = one.outcome != Outcome::kFails;
        problems += wrong;
        if (wrong || fields) std::cout << name_of(files[i]) << ": " << describe(one) << "\n" << std::flush;
      }
    }
  };
  std::vector<std::jthread> workers;
  for (unsigned i = 0; i < jobs; ++i) workers.emplace_back(work);
  workers.clear();
  if (fields) return 0;
  std::cout << rules << " rules of " << files.size() << " scenarios removed, " << problems << " problems\n";
  return problems > 0 ? 1 : 0;
}
