// SPDX-License-Identifier: Apache-2.0
#include "recorded/differences.h"

#include <fstream>
#include <sstream>

#include "json/json.h"

namespace tenon::recorded {

bool matches(std::string_view pattern, std::string_view text) {
  const size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == text;
  if (!text.starts_with(pattern.substr(0, star))) return false;
  text.remove_prefix(star);
  pattern.remove_prefix(star + 1);
  for (size_t skipped = 0; skipped <= text.size(); ++skipped) {
    if (matches(pattern, text.substr(skipped))) return true;
  }
  return false;
}

Result<Differences> Differences::load(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  const json::value document = TRY_IN(file, json::parse(text.str()));
  Differences differences;
  for (const json::value& entry : json::array_at(document, {"allowed"})) {
    if (json::string_at(entry, {"why"}).empty()) return fail(Code::kInvalid, file + ": an entry without a reason");
    differences.entries_.push_back({std::string(json::string_at(entry, {"request"})),
                                    std::string(json::string_at(entry, {"at"})),
                                    std::string(json::string_at(entry, {"seen"}))});
  }
  for (const json::value& group : json::array_at(document, {"groups"}))
    differences.groups_.emplace_back(group.as_string());
  return differences;
}

bool Differences::allows(std::string_view request, const Difference& difference) {
  for (Entry& entry : entries_) {
    if (!matches(entry.request, request) || !matches(entry.at, difference.at)) continue;
    if (!entry.seen.empty() && !matches(entry.seen, difference.seen)) continue;
    entry.used = true;
    return true;
  }
  return false;
}

std::vector<std::string> Differences::unused() const {
  std::vector<std::string> result;
  for (const Entry& entry : entries_) {
    if (!entry.used) result.push_back(entry.request + " " + entry.at);
  }
  return result;
}

}  // namespace tenon::recorded
