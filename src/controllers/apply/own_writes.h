// OwnWrites remembers which versions of objects this process has replaced. A decision from such a version is stale
// before it is sent: the informer has not received the newer object yet.
//
//   if (writes.replaced("nodes/a", "7")) return fail(Code::kConflict, …);
//   …
//   writes.note("nodes/a", "7");  // a write from version 7 was accepted
//
// An entry lasts for kLasts only, because a write that changes nothing leaves the version as it is.
// Thread rule: any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <mutex>
#include <string>
#include <unordered_set>

#include "runtime/runtime.h"

namespace tenon::controllers {

class OwnWrites {
 public:
  static constexpr Duration kLasts = 1s;

  explicit OwnWrites(runtime::Runtime& runtime) : runtime_(runtime) {}

  bool replaced(const std::string& object, const std::string& version);
  void note(const std::string& object, const std::string& version);

 private:
  void drop_old();

  runtime::Runtime& runtime_;
  std::mutex mutex_;
  std::unordered_set<std::string> versions_;             // "nodes/a@7"
  std::deque<std::pair<Instant, std::string>> entries_;  // the same by time
};

}  // namespace tenon::controllers
