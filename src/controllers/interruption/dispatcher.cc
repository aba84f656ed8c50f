// SPDX-License-Identifier: Apache-2.0
#include "controllers/interruption/dispatcher.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <set>

#include "controllers/interruption/decide.h"
#include "runtime/parallel.h"

namespace tenon::controllers::interruption {
namespace {

using cloud::InterruptionKind;
using runtime::in_parallel;

// The messages about one instance, and the results of their handling.
struct Job {
  const std::string* instance = nullptr;
  std::vector<size_t> messages;
  size_t foreign = 0, duplicate = 0;
  bool failed = false;
};

// Calls of one reader before its messages are handled: threads cost more than calls. No reader continues after an
// urgent message.
constexpr size_t kCallsOfAReader = 8;
constexpr const char* kController = "interruption";  // in the log

const char* name_of(InterruptionKind kind) { return to_string(kind).data(); }

}  // namespace

Status Dispatcher::round(Duration wait, const std::stop_token& stop) {
  Messages first = TRY(services_.queue.receive(wait, stop));
  const Instant begun = services_.runtime.now();
  bool more = first.size() == cloud::kInterruptionBatch;
  sort_in(std::move(first));
  handle(std::exchange(lanes_[0], {}), stop);
  while (more && backlog() < kMaxBacklog && services_.runtime.now() - begun < kReadFor && !stop.stop_requested()) {
    more = read_more(stop);
    handle(std::exchange(lanes_[0], {}), stop);
  }
  for (Messages& lane : lanes_) handle(std::exchange(lane, {}), stop);
  return ok();
}

void Dispatcher::sort_in(Messages messages) {
  for (Message& message : messages) {
    const InterruptionKind kind = message.what.kind;
    services_.metrics.interruptions_received.add({{"message_type", name_of(kind)}});
    lanes_[static_cast<size_t>(urgency(kind))].push_back(std::move(message));
  }
}

size_t Dispatcher::backlog() const {
  size_t all = 0;
  for (const Messages& lane : lanes_) all += lane.size();
  return all;
}

bool Dispatcher::read_more(const std::stop_token& stop) {
  std::array<Messages, kWidth> batches;
  std::atomic<bool> urgent_seen = false;
  const auto read = [&](size_t i, const std::stop_token& own_stop) {
    for (size_t call = 0; call < kCallsOfAReader && !urgent_seen; ++call) {
      auto batch = services_.queue.receive(Duration(0), own_stop);
      if (!batch && batch.error().code != Code::kCancelled) services_.log.failure(kController, "", batch.error());
      if (!batch || batch->empty()) return;
      for (Message& message : *batch) {
        if (urgency(message.what.kind) == 0) urgent_seen = true;
        batches[i].push_back(std::move(message));
      }
    }
  };
  in_parallel(services_.runtime, "interruption.read", kWidth, kWidth, read, stop);
  bool any = false;
  for (Messages& batch : batches) {
    any |= !batch.empty();
    sort_in(std::move(batch));
  }
  return any;
}

void Dispatcher::handle(Messages messages, const std::stop_token& stop) {
  if (messages.empty()) return;
  std::map<std::string_view, size_t> job_of;
  std::vector<Job> jobs;
  for (size_t i = 0; i < messages.size(); ++i) {
    if (messages[i].what.kind == InterruptionKind::kMalformed) {
      services_.metrics.interruptions_dropped.add({{"reason", "malformed"}});
      services_.log.failure(kController, "",
                            {Code::kInvalid, "a message was dropped: " + messages[i].what.problem, std::nullopt});
    }
    for (const std::string& id : messages[i].what.instance_ids) {
      const auto [at, added] = job_of.try_emplace(id, jobs.size());
      if (added) jobs.push_back({.instance = &id});
      jobs[at->second].messages.push_back(i);
    }
  }
  const auto work = [&](size_t number, const std::stop_token& own_stop) {
    Job& job = jobs[number];
    std::set<InterruptionKind> done;
    for (const size_t i : job.messages) {
      if (!done.insert(messages[i].what.kind).second) {
        ++job.duplicate;
        continue;
      }
      const auto handled = handle_(*job.instance, messages[i].what, own_stop);
      if (!handled) {
        job.failed = true;
        if (handled.error().code != Code::kCancelled)
          services_.log.failure(kController, *job.instance, handled.error());
        return;
      }
      job.foreign += *handled == Handled::kForeign ? 1 : 0;
      job.duplicate += *handled == Handled::kDuplicate ? 1 : 0;
    }
  };
  in_parallel(services_.runtime, "interruption.handle", kWidth, jobs.size(), work, stop);

  std::vector<bool> failed(messages.size());
  for (const Job& job : jobs) {
    if (job.foreign > 0)
      services_.metrics.interruptions_dropped.add({{"reason", "foreign"}}, static_cast<double>(job.foreign));
    if (job.duplicate > 0) {
      services_.metrics.interruptions_dropped.add({{"reason", "duplicate"}}, static_cast<double>(job.duplicate));
    }
    for (const size_t i : job.messages) failed[i] = failed[i] || job.failed;
  }
  const Instant now = services_.runtime.now();
  std::vector<std::string> receipts;
  for (size_t i = 0; i < messages.size(); ++i) {
    services_.metrics.interruption_latency.observe(in_seconds(now - messages[i].what.at));
    if (!failed[i]) receipts.push_back(std::move(messages[i].receipt));
  }
  remove(receipts, stop);
}

void Dispatcher::remove(const std::vector<std::string>& receipts, const std::stop_token& stop) {
  constexpr size_t kBatch = cloud::kInterruptionBatch;
  const auto work = [&](size_t number, const std::stop_token& own_stop) {
    const auto first = receipts.begin() + static_cast<std::ptrdiff_t>(number * kBatch);
    const size_t size = std::min(kBatch, receipts.size() - number * kBatch);
    const auto removed = services_.queue.remove({first, first + static_cast<std::ptrdiff_t>(size)}, own_stop);
    if (removed) {
      services_.metrics.interruptions_deleted.add({}, static_cast<double>(*removed));
    } else if (removed.error().code != Code::kCancelled) {
      services_.log.failure(kController, "", removed.error());  // they are delivered again and are duplicates then
    }
  };
  in_parallel(services_.runtime, "interruption.remove", kWidth, (receipts.size() + kBatch - 1) / kBatch, work, stop);
}

}  // namespace tenon::controllers::interruption
