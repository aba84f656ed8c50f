// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/interruption/sqs_interruptions.h"

#include <mutex>

#include "aws/sqs.h"
#include "cloud/aws_provider/interruption/interruption_message.h"

namespace tenon::cloud {
namespace {

static_assert(kInterruptionBatch <= aws::kSqsBatch);

class SqsInterruptions final : public InterruptionQueue {
 public:
  SqsInterruptions(aws::Client& client, std::string name) : sqs_(client), name_(std::move(name)) {}

  Result<std::vector<QueuedInterruption>> receive(Duration wait, const std::stop_token& stop) override {
    const std::string url = TRY(find_url(stop));
    const aws::SqsReceive how{.wait = wait, .visibility = kInterruptionVisibility};
    auto messages = sqs_.receive(url, how, stop);
    if (!messages) {
      if (messages.error().code == Code::kNotFound) remember("");
      return fail(std::move(messages).error());
    }
    std::vector<QueuedInterruption> out;
    for (aws::SqsMessage& message : *messages) {
      out.push_back({std::move(message.receipt), parse_interruption(message.body, message.sent_at)});
    }
    return out;
  }

  Result<size_t> remove(const std::vector<std::string>& receipts, const std::stop_token& stop) override {
    return sqs_.delete_messages(TRY(find_url(stop)), receipts, stop);
  }

 private:
  Result<std::string> find_url(const std::stop_token& stop) {
    {
      const std::lock_guard lock(mutex_);
      if (!url_.empty()) return url_;
    }
    std::string url = TRY(sqs_.get_queue_url(name_, stop));
    remember(url);
    return url;
  }
  void remember(std::string url) {
    const std::lock_guard lock(mutex_);
    url_ = std::move(url);
  }

  aws::Sqs sqs_;
  const std::string name_;
  std::mutex mutex_;
  std::string url_;  // guarded by mutex_; empty: not known
};

}  // namespace

std::unique_ptr<InterruptionQueue> make_sqs_interruptions(aws::Client& client, std::string queue_name) {
  return std::make_unique<SqsInterruptions>(client, std::move(queue_name));
}

}  // namespace tenon::cloud
