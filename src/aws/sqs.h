// Simple Queue Service, as far as a queue's consumer needs it. Wire: JSON 1.0.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <stop_token>
#include <string>
#include <vector>

#include "aws/client.h"
#include "base/instant.h"

namespace tenon::aws {

inline constexpr size_t kSqsBatch = 10;  // messages per call, at most

struct SqsMessage {
  std::string id, receipt, body;
  Instant sent_at{};
};
struct SqsReceive {
  size_t max_messages = kSqsBatch;
  Duration wait = 20s;        // for the first message: whole seconds, at most 20
  Duration visibility = 20s;  // time for which the message is hidden from other consumers: whole seconds
};

// Thread rule: any thread; receive() blocks for at most `wait`.
class Sqs {
 public:
  explicit Sqs(Client& client) : client_(client) {}

  // Errors: kNotFound if the queue does not exist.
  Result<std::string> get_queue_url(const std::string& name, const std::stop_token& stop);
  // Returns an empty list if no message arrives. Errors: kNotFound if the queue does not exist.
  Result<std::vector<SqsMessage>> receive(const std::string& queue_url, const SqsReceive& how,
                                          const std::stop_token& stop);
  // Deletes messages by at most kSqsBatch receipts; returns the number of deleted ones. The others can be received
  // again once they are visible. Requires the permission sqs:DeleteMessage.
  Result<size_t> delete_messages(const std::string& queue_url, const std::vector<std::string>& receipts,
                                 const std::stop_token& stop);

 private:
  Client& client_;
};

}  // namespace tenon::aws
