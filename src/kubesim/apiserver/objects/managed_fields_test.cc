// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/objects/managed_fields.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/prng.h"
#include "json/json.h"
#include "kubesim/apiserver/kinds/builtin_resources.h"

namespace tenon::kubesim::apiserver {
namespace {

using json::value;
using Keys = std::set<std::string>;

// A ConfigMap that several managers write to, and the owners of its keys by the simplest possible book-keeping.
class Book {
 public:
  void write(const std::string& manager, const std::map<std::string, std::string>& data, Instant now) {
    value next = object_;
    json::ensure(next, {"data"}) = json::object();
    for (const auto& [key, text] : data) json::ensure(next, {"data", key}) = text;
    if (data.empty()) json::erase(next, {"data"});
    record_write(manager, data, format_rfc3339(now));
    track_fields(*info_, written_ ? &object_ : nullptr, next, {manager, "", now});
    object_ = std::move(next);
    data_ = data;
    written_ = true;
  }
  const std::map<std::string, std::string>& data() const { return data_; }

  // By manager: its own keys of data, and the time of its entry.
  std::map<std::string, std::pair<Keys, std::string>> recorded() const {
    std::map<std::string, std::pair<Keys, std::string>> all;
    for (const ManagedEntry& entry : managed_entries(object_)) {
      const auto of_data = entry.fields.children.find("f:data");
      if (of_data == entry.fields.children.end()) continue;
      for (const auto& [step, node] : of_data->second.children) all[entry.manager].first.insert(step.substr(2));
      all[entry.manager].second = entry.time;
    }
    return all;
  }
  const std::map<std::string, std::pair<Keys, std::string>>& expected() const { return expected_; }

 private:
  void record_write(const std::string& manager, const std::map<std::string, std::string>& data,
                    const std::string& now) {
    Keys changed, gone;
    for (const auto& [key, text] : data) {
      if (const auto old = data_.find(key); old == data_.end() || old->second != text) changed.insert(key);
    }
    for (const auto& [key, text] : data_) {
      if (!data.contains(key)) gone.insert(key);
    }
    auto& [mine, time] = expected_[manager];
    const Keys before = mine;
    mine.insert(changed.begin(), changed.end());
    for (auto& [name, entry] : expected_) {
      for (const std::string& key : gone) entry.first.erase(key);
      if (name == manager) continue;
      for (const std::string& key : changed) entry.first.erase(key);
    }
    if (mine != before) time = now;
    std::erase_if(expected_, [](const auto& entry) { return entry.second.first.empty(); });
  }

  const InfoPtr info_ = Registry(builtin_resources()).find("", "v1", "configmaps");
  value object_ = json::object{{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"name", "m"}}}};
  std::map<std::string, std::string> data_;
  std::map<std::string, std::pair<Keys, std::string>> expected_;
  bool written_ = false;
};

TEST(ManagedFields, WhoChangedAFieldLastOwnsIt) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    Prng prng(seed);
    Book book;
    Instant now(1'800'000'000s);
    for (int write = 0; write < 30; ++write) {
      now += 1s;
      auto data = book.data();
      for (uint64_t change = prng.below(3) + 1; change > 0; --change) {
        const std::string key(1, static_cast<char>('a' + prng.below(5)));
        if (prng.below(3) == 0)
          data.erase(key);
        else
          data[key] = std::to_string(prng.below(3));
      }
      book.write("manager-" + std::to_string(prng.below(3)), data, now);
      ASSERT_EQ(book.recorded(), book.expected()) << "seed " << seed << ", write " << write;
    }
  }
}

}  // namespace
}  // namespace tenon::kubesim::apiserver
