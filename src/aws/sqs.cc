// SPDX-License-Identifier: Apache-2.0
#include "aws/sqs.h"

#include <algorithm>
#include <charconv>

#include "aws/json_protocol.h"
#include "base/check.h"
#include "json/json.h"

namespace tenon::aws {
namespace {

JsonTarget target(const char* action) { return {kSqs, "AmazonSQS", action, "1.0"}; }

int64_t whole_seconds(Duration span) { return std::chrono::duration_cast<std::chrono::seconds>(span).count(); }

// "1545082649183", in milliseconds.
Instant read_millis(std::string_view text) {
  constexpr int64_t kLastMillis = 9'000'000'000'000;  // limit of Instant
  int64_t millis = 0;
  std::from_chars(text.data(), text.data() + text.size(), millis);
  return Instant(std::chrono::milliseconds(std::clamp<int64_t>(millis, 0, kLastMillis)));
}

}  // namespace

Result<std::string> Sqs::get_queue_url(const std::string& name, const std::stop_token& stop) {
  const json::value input = json::object{{"QueueName", name}};
  const json::value answer = TRY_IN("queue " + name, call_json(client_, target("GetQueueUrl"), input, stop));
  std::string url(json::string_at(answer, {"QueueUrl"}));
  if (url.empty()) return fail(Code::kInternal, "queue " + name + ": sqs GetQueueUrl: the answer names no queue");
  return url;
}

Result<std::vector<SqsMessage>> Sqs::receive(const std::string& queue_url, const SqsReceive& how,
                                             const std::stop_token& stop) {
  json::object input{{"QueueUrl", queue_url},
                     {"MaxNumberOfMessages", how.max_messages},
                     {"VisibilityTimeout", whole_seconds(how.visibility)},
                     {"WaitTimeSeconds", whole_seconds(how.wait)}};
  input["AttributeNames"] = json::array{"SentTimestamp"};
  input["MessageAttributeNames"] = json::array{"All"};
  const json::value answer = TRY(call_json(client_, target("ReceiveMessage"), input, stop));
  std::vector<SqsMessage> messages;
  for (const json::value& message : json::array_at(answer, {"Messages"})) {
    messages.push_back({std::string(json::string_at(message, {"MessageId"})),
                        std::string(json::string_at(message, {"ReceiptHandle"})),
                        std::string(json::string_at(message, {"Body"})),
                        read_millis(json::string_at(message, {"Attributes", "SentTimestamp"}))});
  }
  return messages;
}

Result<size_t> Sqs::delete_messages(const std::string& queue_url, const std::vector<std::string>& receipts,
                                    const std::stop_token& stop) {
  CHECK(!receipts.empty() && receipts.size() <= kSqsBatch, "SQS deletes one to ten messages a call");
  json::array entries;
  for (const std::string& receipt : receipts) {
    entries.push_back(json::object{{"Id", std::to_string(entries.size())}, {"ReceiptHandle", receipt}});
  }
  const json::value input = json::object{{"QueueUrl", queue_url}, {"Entries", std::move(entries)}};
  const json::value answer = TRY(call_json(client_, target("DeleteMessageBatch"), input, stop));
  return json::array_at(answer, {"Successful"}).size();
}

}  // namespace tenon::aws
