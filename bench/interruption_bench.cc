// Interruption messages a second, through the parser, the dispatcher on real threads and the decision about each
// message; without the calls of AWS and Kubernetes.
//
//   interruption_bench MESSAGES RUNS    one line of JSON: the median of the runs
//
// One message in a hundred is urgent, and the urgent ones are the last of the queue.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>
#include <mutex>

#include "cloud/aws_provider/interruption/interruption_message.h"
#include "controllers/interruption/decide.h"
#include "controllers/interruption/dispatcher.h"
#include "runtime/live.h"

namespace tenon::bench {
namespace {

using namespace tenon::controllers;  // the program tests these two rooms
using cloud::QueuedInterruption;

constexpr size_t kInstances = 1'000;
constexpr size_t kUrgentOneIn = 100;

std::string body(const std::string& detail_type, const std::string& instance) {
  return R"({"version":"0","id":"72d6566c-e6bd-117d-5bbc-2779c679abd5","detail-type":")" + detail_type +
         R"(","source":"aws.ec2","account":"123456789012","time":"2026-09-01T12:00:00Z","region":"us-east-1",)" +
         R"("resources":["arn:aws:ec2:us-east-1:123456789012:instance/)" + instance +
         R"("],"detail":{"instance-id":")" + instance + R"(","instance-action":"terminate"}})";
}

// Messages in the form of SQS, ten a call.
class Queue final : public cloud::InterruptionQueue {
 public:
  explicit Queue(size_t messages) {
    const size_t urgent = messages / kUrgentOneIn;
    for (size_t i = 0; i < messages; ++i) {
      const char* type =
          i + urgent < messages ? "EC2 Instance Rebalance Recommendation" : "EC2 Spot Instance Interruption Warning";
      bodies_.push_back(body(type, "i-" + std::to_string(i % kInstances)));
    }
  }
  Result<std::vector<QueuedInterruption>> receive(Duration, const std::stop_token&) override {
    const size_t first = next_.fetch_add(cloud::kInterruptionBatch);
    std::vector<QueuedInterruption> out;
    for (size_t i = first; i < std::min(bodies_.size(), first + cloud::kInterruptionBatch); ++i) {
      out.push_back({std::to_string(i), cloud::parse_interruption(bodies_[i], {})});
    }
    return out;
  }
  Result<size_t> remove(const std::vector<std::string>& receipts, const std::stop_token&) override {
    removed_ += receipts.size();
    return receipts.size();
  }
  bool done() const { return removed_ == bodies_.size(); }

 private:
  std::vector<std::string> bodies_;
  std::atomic<size_t> next_{0}, removed_{0};
};

std::map<std::string, model::NodeClaim> claims() {
  std::map<std::string, model::NodeClaim> out;
  for (size_t i = 0; i < kInstances; ++i) {
    const std::string id = "i-" + std::to_string(i);
    out[id].meta.name = "default-" + std::to_string(i);
    out[id].provider_id = "aws:///us-east-1a/" + id;
  }
  return out;
}

// Returns seconds; negative if messages were left.
double run(size_t messages) {
  const auto runtime = runtime::make_live_runtime();
  Queue queue(messages);
  const auto known = claims();
  metrics::Registry registry;
  Metrics metrics(registry);
  interruption::Dispatcher dispatcher(
      {*runtime, queue, metrics, {}},
      [&](const std::string& id, const cloud::Interruption& what,
          const std::stop_token&) -> Result<interruption::Handled> {
        const auto claim = known.find(id);
        if (claim == known.end()) return interruption::Handled::kForeign;
        const plan::Plan plan = interruption::decide({.claim = claim->second, .instance_id = id, .kind = what.kind});
        return plan.actions.empty() ? interruption::Handled::kDuplicate : interruption::Handled::kDone;
      });
  const auto before = std::chrono::steady_clock::now();
  const Status done = dispatcher.round(Duration(0), {});
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
  return done && queue.done() ? seconds : -1;
}

}  // namespace
}  // namespace tenon::bench

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: interruption_bench MESSAGES RUNS\n";
    return 2;
  }
  const size_t messages = std::strtoul(argv[1], nullptr, 10), runs = std::strtoul(argv[2], nullptr, 10);
  std::vector<double> seconds;
  for (size_t i = 0; i < std::max<size_t>(runs, 1); ++i) seconds.push_back(tenon::bench::run(messages));
  std::sort(seconds.begin(), seconds.end());
  if (seconds.front() < 0) {
    std::cerr << "interruption_bench: messages were left\n";
    return 1;
  }
  const double median = seconds[seconds.size() / 2];
  std::cout << R"({"messages": )" << messages << R"(, "seconds": )" << median << R"(, "per_second": )"
            << static_cast<int64_t>(static_cast<double>(messages) / median) << "}\n";
  return 0;
}
