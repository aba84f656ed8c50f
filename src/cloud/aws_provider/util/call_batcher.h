// Combines many small calls into few large ones: the first caller waits, collects the keys of all callers that join
// meanwhile, makes the call, and distributes the answers. parity: provider-aws pkg/batcher
//
//   CallBatcher<aws::InstanceInfo> describe(runtime, options, [&](const std::vector<std::string>& ids, stop) {…});
//   auto info = TRY(describe.ask("i-0123", stop));   // std::nullopt: the answer does not contain this id
//
// Thread rule: any thread; ask() blocks. No lock is held while the call is made.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "runtime/runtime.h"

namespace tenon::cloud {

struct BatchOptions {
  Duration idle = 100ms;   // the batch closes when no caller has joined for this long,
  Duration longest = 1s;   // or after this,
  size_t max_items = 500;  // or when it is full
  // Called for every batch when it closes, with the time it was open and the number of calls. May be empty.
  std::function<void(Duration open, size_t items)> told = {};
};

template <class T>
class CallBatcher {
 public:
  using Answers = std::map<std::string, T>;
  using Call = std::function<Result<Answers>(const std::vector<std::string>& keys, const std::stop_token& stop)>;

  CallBatcher(runtime::Runtime& runtime, BatchOptions options, Call call)
      : runtime_(runtime), options_(options), call_(std::move(call)) {}

  // Errors: those of the call, for every caller in the batch; kCancelled.
  Result<std::optional<T>> ask(const std::string& key, const std::stop_token& stop) { return ask(key, stop, call_); }
  // Uses `call` instead of the default one, if this caller is the first of its batch.
  Result<std::optional<T>> ask(const std::string& key, const std::stop_token& stop, const Call& call) {
    const auto [batch, leader] = join(key);
    if (leader) {
      lead(batch, stop, call);
    } else if (!wait_for(batch, stop)) {
      return fail(Code::kCancelled, "stopped while waiting for a batch");
    }
    const std::scoped_lock lock(mutex_);
    if (batch->error) return fail(*batch->error);
    const auto it = batch->answers.find(key);
    return it == batch->answers.end() ? std::optional<T>() : std::optional<T>(it->second);
  }

 private:
  struct Batch {
    std::unique_ptr<runtime::Event> changed;  // a caller joined, or the batch is done
    std::vector<std::string> keys;            // without duplicates
    size_t joined = 0;
    bool done = false;
    std::optional<Error> error;
    Answers answers;
  };

  std::pair<std::shared_ptr<Batch>, bool> join(const std::string& key) {
    const std::scoped_lock lock(mutex_);
    const bool leader = !open_;
    if (leader) {
      open_ = std::make_shared<Batch>();
      open_->changed = runtime_.make_event();
    }
    const auto batch = open_;
    ++batch->joined;
    if (std::find(batch->keys.begin(), batch->keys.end(), key) == batch->keys.end()) batch->keys.push_back(key);
    if (batch->keys.size() >= options_.max_items) open_.reset();
    batch->changed->notify();
    return {batch, leader};
  }

  // Waits until the batch closes; later callers open a new batch.
  void gather(const std::shared_ptr<Batch>& batch, const std::stop_token& stop) {
    const Instant end = runtime_.now() + options_.longest;
    while (true) {
      const uint64_t seen = batch->changed->version();
      {
        const std::scoped_lock lock(mutex_);
        if (open_ != batch) return;
      }
      const Instant deadline = std::min(end, runtime_.now() + options_.idle);
      if (batch->changed->wait(seen, deadline, stop) != runtime::Wake::kNotified || runtime_.now() >= end) break;
    }
    const std::scoped_lock lock(mutex_);
    if (open_ == batch) open_.reset();
  }

  void lead(const std::shared_ptr<Batch>& batch, const std::stop_token& stop, const Call& call) {
    const Instant opened = runtime_.now();
    gather(batch, stop);
    if (options_.told) options_.told(runtime_.now() - opened, batch->joined);
    auto answers = call(batch->keys, stop);  // closed: no caller adds a key any more
    {
      const std::scoped_lock lock(mutex_);
      if (answers) {
        batch->answers = std::move(*answers);
      } else {
        batch->error = answers.error();
      }
      batch->done = true;
    }
    batch->changed->notify();
  }

  bool wait_for(const std::shared_ptr<Batch>& batch, const std::stop_token& stop) {
    while (true) {
      const uint64_t seen = batch->changed->version();
      {
        const std::scoped_lock lock(mutex_);
        if (batch->done) return true;
      }
      if (batch->changed->wait(seen, kNever, stop) == runtime::Wake::kStopped) return false;
    }
  }

  runtime::Runtime& runtime_;
  const BatchOptions options_;
  const Call call_;
  std::mutex mutex_;
  std::shared_ptr<Batch> open_;  // new callers join it
};

}  // namespace tenon::cloud
