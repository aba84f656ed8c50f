// differences.json: the places where the minicluster may answer differently than a real API server, and the reason. An
// entry names a request ("GET /apis/*") and a place in its answer ("resources[jobs/*]"), and may name the one value
// that is allowed there, all with * for any text. `groups` are those whose discovery is recorded at all.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "recorded/compare.h"

namespace tenon::recorded {

class Differences {
 public:
  static Result<Differences> load(const std::string& file);
  // Marks the entry as used.
  bool allows(std::string_view request, const Difference& difference);
  // Returns "request at" of each entry that was not used.
  std::vector<std::string> unused() const;
  const std::vector<std::string>& groups() const { return groups_; }

 private:
  struct Entry {
    std::string request, at, seen;  // seen: empty for any
    bool used = false;
  };
  std::vector<Entry> entries_;
  std::vector<std::string> groups_;
};

// Compares the whole text; * matches any part of it.
bool matches(std::string_view pattern, std::string_view text);

}  // namespace tenon::recorded
