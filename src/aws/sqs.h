// Simple Queue Service: what a reader of a queue needs. Wire: JSON 1.0.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <stop_token>
#include <string>
#include <vector>

#include "aws/client.h"
#include "base/instant.h"

namespace tenon::aws {

inline constexpr size_t kSqsBatch = 10;  // messages of one call, at most

struct SqsMessage {
  std::string id, receipt, body;
  Instant sent_at{};
};
struct SqsReceive {
  size_t max_messages = kSqsBatch;
  Duration wait = 20s;        // for the first message: whole seconds, at most 20
  Duration visibility = 20s;  // for so long nobody else is given the message: whole seconds
};

// Thread rule: any thread; receive() blocks for as long as `wait`.
class Sqs {
 public:
  explicit Sqs(Client& client) : client_(client) {}

  // Errors: kNotFound, there is no queue of that name.
  Result<std::string> get_queue_url(const std::string& name, const std::stop_token& stop);
  // None if none came. Errors: kNotFound, the queue is no more.
  Result<std::vector<SqsMessage>> receive(const std::string& queue_url, const SqsReceive& how,
                                          const std::stop_token& stop);
  // At most kSqsBatch receipts; how many messages were deleted. The others can be received again once they are visible.
  // The permission that it takes is sqs:DeleteMessage.
  Result<size_t> delete_messages(const std::string& queue_url, const std::vector<std::string>& receipts,
                                 const std::stop_token& stop);

 private:
  Client& client_;
};

}  // namespace tenon::aws
