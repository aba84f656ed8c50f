// StopGroup: a Runtime whose threads can all be stopped at once. Each thread still belongs to its Task.
//
//   StopGroup group(runtime);
//   Loop first(group, …), second(group, …);
//   group.request_stop();     // returns at once; then join them one after the other
//
// Thread rule: of Runtime. The inner runtime is borrowed; the group must outlive its tasks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "runtime/runtime.h"

namespace tenon::runtime {

class StopGroup final : public Runtime {
 public:
  explicit StopGroup(Runtime& inner) : inner_(inner) {}

  // Also applies to threads that start later.
  void request_stop() { stop_.request_stop(); }

  Instant now() const override { return inner_.now(); }
  std::unique_ptr<Event> make_event() override { return inner_.make_event(); }
  Wake sleep_until(Instant when, const std::stop_token& stop) override { return inner_.sleep_until(when, stop); }
  uint64_t random() override { return inner_.random(); }
  std::unique_ptr<Task> spawn(std::string name, std::function<void(const std::stop_token&)> body) override {
    return inner_.spawn(std::move(name), [body = std::move(body), all = stop_.get_token()](const std::stop_token& own) {
      std::stop_source either;
      const auto end = [&either] { either.request_stop(); };
      const std::stop_callback on_own(own, end), on_all(all, end);
      body(either.get_token());
    });
  }

 private:
  Runtime& inner_;
  std::stop_source stop_;
};

}  // namespace tenon::runtime
