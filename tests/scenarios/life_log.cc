// Compares the log of a life-cycle scenario with its `log` list, and its events, conditions and lines with their
// tables.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/text.h"
#include "cli/process/log_json.h"
#include "json/json.h"
#include "life_world.h"
#include "log/messages.h"
#include "plan/condition_table.h"
#include "plan/event_table.h"

namespace tenon::scenarios {
namespace {

using json::value;
using kubesim::Object;

// Keys that each line of a reconciliation has, and the words of a decision.
bool is_common(std::string_view key) {
  constexpr std::array<std::string_view, 7> kCommon{"controller", "controllerGroup", "controllerKind", "namespace",
                                                    "name",       "reconcileID",     "detail"};
  return std::find(kCommon.begin(), kCommon.end(), key) != kCommon.end();
}

std::string keys_of(const log::Line& line) {
  const auto members = json::parse("{" + cli::json_members(line, "", 1) + "}");
  CHECK(members.has_value(), "a log line is not JSON: " + line.message);
  std::string keys;
  for (const auto& member : members->get_object()) {
    if (!is_common(member.key())) keys += (keys.empty() ? "" : " ") + std::string(member.key());
  }
  return keys;
}

const char* level_name(log::Level level) {
  switch (level) {
    case log::Level::kDebug: return "DEBUG";
    case log::Level::kInfo: return "INFO";
    case log::Level::kWarn: return "WARN";
    case log::Level::kError: break;
  }
  return "ERROR";
}

const log::Message* message_named(std::string_view text) {
  for (const log::Message* one : log::all_messages()) {
    if (one->text == text) return one;
  }
  return nullptr;
}

bool contains(const std::vector<std::string_view>& all, std::string_view one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

// A NodeClaim has a Node and an instance only for a part of its life, so that their keys may be missing.
bool has_keys_of(const log::Message& message, const std::vector<std::string_view>& keys) {
  const std::vector<std::string_view> sometimes{"NodePool", "NodeClaim", "Node", "provider-id", ""};
  const auto listed = split(message.keys, ' ');
  return std::all_of(keys.begin(), keys.end(), [&](auto key) { return key.empty() || contains(listed, key); }) &&
         std::all_of(listed.begin(), listed.end(),
                     [&](auto key) { return contains(sometimes, key) || contains(keys, key); });
}

}  // namespace

void LifeWorld::note(const log::Line& line) {
  if (!message_named(line.message)) return;
  std::string text =
      std::string(level_name(line.level)) + " " + line.fields.controller + " | " + line.message + " | " + keys_of(line);
  if (std::find(logged_.begin(), logged_.end(), text) == logged_.end()) logged_.push_back(std::move(text));
}

void LifeWorld::compare_log(const value& wanted, std::vector<std::string>& out) const {
  std::vector<std::string> lines;
  for (const value& line : wanted.as_array()) lines.emplace_back(line.get_string());
  if (lines != logged_) out.push_back("the log is\n    - " + join(logged_, "\n    - "));
}

std::vector<std::string> LifeWorld::undocumented() {
  std::vector<std::string> out;
  for (const Object& event : all_of("Event")) {
    const std::string_view reason = json::string_at(*event, {"reason"}), type = json::string_at(*event, {"type"}),
                           kind = json::string_at(*event, {"involvedObject", "kind"}),
                           text = json::string_at(*event, {"message"});
    if (json::string_at(*event, {"source", "component"}) != "karpenter") continue;
    if (plan::in_event_table(reason, type, kind, text)) continue;
    out.push_back("src/plan/event_table.cc lacks " + std::string(type) + " " + std::string(reason) + " of " +
                  std::string(kind) + ": " + std::string(text));
  }
  for (const char* kind : {"NodeClaim", "NodePool", "EC2NodeClass"}) {
    for (const Object& object : all_of(kind)) {
      for (const value& one : json::array_at(*object, {"status", "conditions"})) {
        const std::string_view type = json::string_at(one, {"type"}), status = json::string_at(one, {"status"}),
                               reason = json::string_at(one, {"reason"});
        if (plan::in_condition_table(kind, type, status, reason)) continue;
        out.push_back("src/plan/condition_table.cc lacks " + std::string(kind) + " " + std::string(type) + " " +
                      std::string(status) + " " + std::string(reason));
      }
    }
  }
  for (const std::string& line : logged_) {
    const auto parts = split(line, '|');
    const log::Message* message = message_named(trim(parts[1]));
    if (message && !has_keys_of(*message, split(trim(parts[2]), ' ')))
      out.push_back("src/log/messages.cc has other keys: " + line);
  }
  return out;
}

}  // namespace tenon::scenarios
