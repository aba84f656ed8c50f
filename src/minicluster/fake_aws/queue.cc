// SQS with one standard queue: GetQueueUrl, SendMessage, ReceiveMessage with long polling, DeleteMessage.
// SPDX-License-Identifier: Apache-2.0
#include <openssl/evp.h>

#include <algorithm>
#include <deque>

#include "base/check.h"
#include "json/json.h"
#include "minicluster/fake_aws/services.h"

namespace tenon::minicluster::fake {
namespace {

using json::array;
using json::object;
using json::value;

constexpr int64_t kMaxBatch = 10;
constexpr int64_t kMaxWaitSeconds = 20;
constexpr int64_t kMaxVisibilitySeconds = 12 * 3600;
constexpr int64_t kDefaultVisibilitySeconds = 30;
constexpr size_t kMaxMessages = 100'000;
constexpr size_t kMaxBodyBytes = 262'144;

std::string md5_hex(std::string_view bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  CHECK(EVP_Digest(bytes.data(), bytes.size(), digest, &size, EVP_md5(), nullptr) == 1);
  std::string out;
  constexpr char kDigits[] = "0123456789abcdef";
  for (unsigned int i = 0; i < size; ++i) {
    out += kDigits[digest[i] >> 4];
    out += kDigits[digest[i] & 15];
  }
  return out;
}

std::string string_in(const object& input, std::string_view key) {
  const value* v = input.if_contains(key);
  return v && v->is_string() ? std::string(v->get_string()) : std::string();
}

Outcome<int64_t> int_in(const object& input, std::string_view key, int64_t otherwise,
                        std::pair<int64_t, int64_t> range) {
  const value* v = input.if_contains(key);
  if (!v) return otherwise;
  if (!v->is_int64() || v->get_int64() < range.first || v->get_int64() > range.second)
    return deny("InvalidParameterValue", "Value for parameter " + std::string(key) +
                                             " is invalid. Reason: Must be between " + std::to_string(range.first) +
                                             " and " + std::to_string(range.second) + ".");
  return v->get_int64();
}

int64_t millis(Instant t) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(t.time_since_epoch()).count();
}

struct Message {
  std::string id, body, receipt;
  Instant sent_at{}, first_received_at{}, visible_at{};
  int64_t received = 0;
};

}  // namespace

struct Queue::State {
  std::unique_ptr<runtime::Event> arrived;
  std::deque<Message> messages;  // guarded by the world's mutex
  std::string name;

  struct Poll {
    int64_t batch = 1, wait_seconds = 0, visibility_seconds = kDefaultVisibilitySeconds;
  };

  Outcome<void> check_url(const object& input) const {
    std::string url = string_in(input, "QueueUrl");
    if (url.empty()) return deny("MissingParameter", "The request must contain the parameter QueueUrl.");
    if (!url.ends_with("/" + std::string(kAccount) + "/" + name))
      return deny("com.amazonaws.sqs#QueueDoesNotExist", "The specified queue does not exist.");
    return {};
  }

  static Outcome<Poll> read_poll(const object& input) {
    return Poll{AWS_TRY(int_in(input, "MaxNumberOfMessages", 1, {1, kMaxBatch})),
                AWS_TRY(int_in(input, "WaitTimeSeconds", 0, {0, kMaxWaitSeconds})),
                AWS_TRY(int_in(input, "VisibilityTimeout", kDefaultVisibilitySeconds, {0, kMaxVisibilitySeconds}))};
  }

  // Hides and returns what is visible now; `next` becomes the time at which something else will be.
  array take(World& world, const Poll& poll, Instant now, Instant& next) {
    array taken;
    for (Message& message : messages) {
      if (message.visible_at > now) {
        next = std::min(next, message.visible_at);
        continue;
      }
      if (static_cast<int64_t>(taken.size()) == poll.batch) break;
      message.visible_at = now + std::chrono::seconds(poll.visibility_seconds);
      message.receipt = world.new_uuid();
      if (message.received++ == 0) message.first_received_at = now;
      object attributes{{"SentTimestamp", std::to_string(millis(message.sent_at))},
                        {"ApproximateReceiveCount", std::to_string(message.received)},
                        {"ApproximateFirstReceiveTimestamp", std::to_string(millis(message.first_received_at))}};
      taken.emplace_back(object{{"MessageId", message.id},
                                {"ReceiptHandle", message.receipt},
                                {"MD5OfBody", md5_hex(message.body)},
                                {"Body", message.body},
                                {"Attributes", attributes}});
    }
    return taken;
  }

  Outcome<value> receive(World& world, const object& input, const std::stop_token& stop) {
    Poll poll = AWS_TRY(read_poll(input));
    Instant deadline = world.runtime.now() + std::chrono::seconds(poll.wait_seconds);
    while (true) {
      uint64_t seen = arrived->version();
      Instant now = world.runtime.now(), next = deadline;
      {
        std::lock_guard lock(world.mutex);
        array taken = take(world, poll, now, next);
        if (!taken.empty()) return object{{"Messages", taken}};
      }
      if (now >= deadline) return object();
      if (arrived->wait(seen, next, stop) == runtime::Wake::kStopped) return object();
    }
  }

  Outcome<value> send(World& world, const object& input) {
    std::string body = string_in(input, "MessageBody");
    if (body.empty() || body.size() > kMaxBodyBytes)
      return deny("InvalidParameterValue", "MessageBody must have between 1 and 262144 bytes.");
    Message message{world.new_uuid(), body, {}, world.runtime.now(), {}, world.runtime.now(), 0};
    if (messages.size() >= kMaxMessages) messages.pop_front();
    messages.push_back(message);
    return object{{"MessageId", message.id}, {"MD5OfMessageBody", md5_hex(body)}};
  }
};

Queue::Queue(World& world) : world_(world), state_(std::make_unique<State>()) {
  state_->arrived = world.runtime.make_event();
  state_->name = world.options.cluster_name;
}

Queue::~Queue() = default;

Outcome<value> Queue::perform(std::string_view action, const object& input, std::string_view host,
                              const std::stop_token& stop) {
  if (action == "GetQueueUrl") {
    if (string_in(input, "QueueName") != state_->name)
      return deny("com.amazonaws.sqs#QueueDoesNotExist", "The specified queue does not exist.");
    return object{{"QueueUrl", "http://" + std::string(host) + "/" + std::string(kAccount) + "/" + state_->name}};
  }
  if (action != "SendMessage" && action != "ReceiveMessage" && action != "DeleteMessage")
    return deny("InvalidAction", "The action " + std::string(action) + " is not valid for this endpoint.");
  AWS_TRY(state_->check_url(input));
  if (action == "ReceiveMessage") return state_->receive(world_, input, stop);
  if (action == "DeleteMessage") {
    std::string receipt = string_in(input, "ReceiptHandle");
    std::lock_guard lock(world_.mutex);
    std::erase_if(state_->messages, [&](const Message& m) { return m.receipt == receipt && m.received > 0; });
    return object();
  }
  value answer;
  {
    std::lock_guard lock(world_.mutex);
    answer = AWS_TRY(state_->send(world_, input));
  }
  state_->arrived->notify();
  return answer;
}

}  // namespace tenon::minicluster::fake
