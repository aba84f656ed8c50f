// SPDX-License-Identifier: Apache-2.0
#include "observability.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "base/text.h"
#include "log/messages.h"
#include "plan/condition_table.h"
#include "plan/event_table.h"

namespace tenon::house {
namespace {

std::string read(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// The sources of the controllers and of the provider, without their tests and the tables.
std::string sources() {
  std::string all;
  for (const char* room :
       {"/src/controllers", "/src/cloud", "/src/disruption", "/src/state", "/src/scheduling/input", "/src/model"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(TENON_SOURCE_DIR + std::string(room))) {
      const std::string name = entry.path().filename().string();
      if (name.ends_with("_test.cc") || !(name.ends_with(".cc") || name.ends_with(".h"))) continue;
      all += read(entry.path());
    }
  }
  return all;
}

void compare(const std::string& name, const std::string& page) {
  const std::filesystem::path committed = TENON_SOURCE_DIR "/docs/reference/" + name;
  const auto left = std::filesystem::temp_directory_path() / ("tenon-" + name);
  std::filesystem::remove(left);
  if (read(committed) == page) return;
  std::ofstream(left) << page;
  ADD_FAILURE() << "docs/reference/" << name << " differs from its table. If that is meant: cp " << left.string()
                << " docs/reference/" << name;
}

TEST(ObservabilityPages, AreThoseInTheDocuments) {
  compare("events.md", events_page());
  compare("conditions.md", conditions_page());
  compare("logs.md", logs_page());
}

// Each reason that stands beside a type in a source.
TEST(EventTable, HasEachReasonThatASourceNames) {
  std::set<std::string> known;
  for (const plan::EventRow& row : plan::event_table()) known.emplace(row.reason);
  const std::string all = sources();
  const std::regex event("\"(?:Normal|Warning)\",\\s*\"([A-Z][A-Za-z]+)\"");
  size_t found = 0;
  for (std::sregex_iterator at(all.begin(), all.end(), event), end; at != end; ++at, ++found) {
    EXPECT_TRUE(known.contains((*at)[1])) << (*at)[1] << " is not in src/plan/event_table.cc";
  }
  EXPECT_GT(found, 20u);
}

// A reason that no source names is a row that nobody needs.
TEST(EventTable, HasNoReasonThatNoSourceNames) {
  const std::string all = sources();
  for (const plan::EventRow& row : plan::event_table()) {
    if (row.reason.starts_with('<') || row.reason.starts_with("Would")) continue;
    EXPECT_NE(all.find("\"" + std::string(row.reason) + "\""), std::string::npos) << row.reason;
  }
}

TEST(ConditionTable, HasEachTypeAndReasonThatASourceNames) {
  const std::string all = sources();
  std::set<std::string, std::less<>> reasons;
  for (const plan::ConditionRow& row : plan::condition_table()) {
    EXPECT_NE(all.find("\"" + std::string(row.type) + "\""), std::string::npos) << row.type;
    for (const plan::ConditionReason& one : row.reasons) {
      for (const std::string_view reason : split(one.reason, ' ')) reasons.emplace(reason);
    }
  }
  const std::regex written(
      "(?:set_false|set_unknown)\\([^,;]+,\\s*\"([A-Z][A-Za-z]+)\"|Refusal\\{\"([A-Z][A-Za-z]+)\"");
  for (std::sregex_iterator at(all.begin(), all.end(), written), end; at != end; ++at) {
    const std::string reason = (*at)[1].matched ? (*at)[1] : (*at)[2];
    EXPECT_TRUE(reasons.contains(reason)) << reason << " is not in src/plan/condition_table.cc";
  }
}

TEST(LogMessages, AreDifferent) {
  std::set<std::string_view> texts;
  for (const log::Message* one : log::all_messages()) {
    EXPECT_TRUE(texts.insert(one->text).second) << one->text;
    EXPECT_FALSE(one->when.empty()) << one->text;
  }
}

}  // namespace
}  // namespace tenon::house
