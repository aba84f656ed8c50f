// SQS with one standard queue: GetQueueUrl, SendMessage, ReceiveMessage with long polling, DeleteMessage and
// DeleteMessageBatch. Events of EventBridge are added to it when it is read or written.
// SPDX-License-Identifier: Apache-2.0
#include <openssl/evp.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "awssim/services/services.h"
#include "base/check.h"
#include "json/json.h"

namespace tenon::awssim {
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

object received(const Message& message) {
  object attributes{{"SentTimestamp", std::to_string(millis(message.sent_at))},
                    {"ApproximateReceiveCount", std::to_string(message.received)},
                    {"ApproximateFirstReceiveTimestamp", std::to_string(millis(message.first_received_at))}};
  return {{"MessageId", message.id},
          {"ReceiptHandle", message.receipt},
          {"MD5OfBody", md5_hex(message.body)},
          {"Body", message.body},
          {"Attributes", std::move(attributes)}};
}

bool is_entry_id(std::string_view id) {
  return !id.empty() && id.size() <= 80 && std::all_of(id.begin(), id.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_';
  });
}

}  // namespace

// Guarded by the world's mutex.
struct Queue::State {
  using Number = uint64_t;  // ascending
  std::map<Number, Message> messages;
  std::set<std::pair<Instant, Number>> by_visibility;
  std::map<std::string, Number, std::less<>> by_receipt;  // the newest receipt of each message
  Number last = 0;
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

  void put(Message message) {
    if (messages.size() >= kMaxMessages) drop(messages.begin()->first);
    by_visibility.emplace(message.visible_at, ++last);
    messages.emplace(last, std::move(message));
  }

  void drop(Number number) {
    const auto at = messages.find(number);
    by_visibility.erase({at->second.visible_at, number});
    by_receipt.erase(at->second.receipt);
    messages.erase(at);
  }

  // Adds the messages that EventBridge has sent; deletes messages that are older than kMessageRetention.
  void collect(World& world, Instant now) {
    for (Delivery& delivery : world.deliveries)
      put({world.new_message_id(), std::move(delivery.body), {}, delivery.at, {}, delivery.at, 0});
    world.deliveries.clear();
    while (!messages.empty() && now - messages.begin()->second.sent_at >= kMessageRetention)
      drop(messages.begin()->first);
  }

  // Returns the visible messages, at most a batch, and hides them. Lowers `next` to the time at which another becomes
  // visible.
  array take(World& world, const Poll& poll, Instant now, Instant& next) {
    array taken;
    while (!by_visibility.empty() && std::ssize(taken) < poll.batch) {
      const auto [visible_at, number] = *by_visibility.begin();
      if (visible_at > now) {
        next = std::min(next, visible_at);
        break;
      }
      Message& message = messages.at(number);
      by_visibility.erase(by_visibility.begin());
      by_receipt.erase(message.receipt);
      message.visible_at = now + std::chrono::seconds(poll.visibility_seconds);
      message.receipt = world.new_message_id();
      if (message.received++ == 0) message.first_received_at = now;
      by_visibility.emplace(message.visible_at, number);
      by_receipt[message.receipt] = number;
      taken.emplace_back(received(message));
      if (poll.visibility_seconds == 0) break;  // otherwise the same message is taken again at once
    }
    return taken;
  }

  Outcome<value> receive(World& world, const object& input, const std::stop_token& stop) {
    Poll poll = AWS_TRY(read_poll(input));
    Instant deadline = world.runtime.now() + std::chrono::seconds(poll.wait_seconds);
    while (true) {
      uint64_t seen = world.arrived->version();
      Instant now = world.runtime.now(), next = deadline;
      {
        std::lock_guard lock(world.mutex);
        world.settle(now);
        collect(world, now);
        array taken = take(world, poll, now, next);
        if (!taken.empty()) return object{{"Messages", std::move(taken)}};
        next = std::min(next, world.next_change());
      }
      if (now >= deadline) return object();
      if (world.arrived->wait(seen, next, stop) == runtime::Wake::kStopped) return object();
    }
  }

  Outcome<value> send(World& world, const object& input) {
    std::string body = string_in(input, "MessageBody");
    if (body.empty() || body.size() > kMaxBodyBytes)
      return deny("InvalidParameterValue", "MessageBody must have between 1 and 262144 bytes.");
    const Instant now = world.runtime.now();
    collect(world, now);
    const std::string id = world.new_message_id();
    put({id, body, {}, now, {}, now, 0});
    return object{{"MessageId", id}, {"MD5OfMessageBody", md5_hex(body)}};
  }

  // An older receipt is accepted and deletes nothing.
  void remove(std::string_view receipt) {
    if (const auto at = by_receipt.find(receipt); at != by_receipt.end()) drop(at->second);
  }

  static Outcome<void> check_entries(const array& entries) {
    if (entries.empty())
      return deny("com.amazonaws.sqs#EmptyBatchRequest", "There should be at least one entry in the request.");
    if (std::ssize(entries) > kMaxBatch)
      return deny(
          "com.amazonaws.sqs#TooManyEntriesInBatchRequest",
          "Maximum number of entries per request are 10. You have sent " + std::to_string(entries.size()) + ".");
    std::set<std::string_view> ids;
    for (const value& entry : entries) {
      const std::string_view id = json::string_at(entry, {"Id"});
      if (!is_entry_id(id))
        return deny("com.amazonaws.sqs#InvalidBatchEntryId",
                    "A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at "
                    "most 80 letters long.");
      if (!ids.insert(id).second)
        return deny("com.amazonaws.sqs#BatchEntryIdsNotDistinct", "Id " + std::string(id) + " repeated.");
    }
    return {};
  }

  Outcome<value> remove_batch(const object& input) {
    static const array kNone;
    const value* given = input.if_contains("Entries");
    const array& entries = given && given->is_array() ? given->get_array() : kNone;
    AWS_TRY(check_entries(entries));
    array done, failed;
    for (const value& entry : entries) {
      const std::string_view id = json::string_at(entry, {"Id"}), receipt = json::string_at(entry, {"ReceiptHandle"});
      if (receipt.empty()) {
        failed.push_back(object{{"Id", id},
                                {"SenderFault", true},
                                {"Code", "ReceiptHandleIsInvalid"},
                                {"Message", "The input receipt handle is invalid."}});
        continue;
      }
      remove(receipt);
      done.push_back(object{{"Id", id}});
    }
    object answer{{"Successful", std::move(done)}};
    if (!failed.empty()) answer["Failed"] = std::move(failed);
    return answer;
  }
};

Queue::Queue(World& world) : world_(world), state_(std::make_unique<State>()) {
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
  if (action != "SendMessage" && action != "ReceiveMessage" && action != "DeleteMessage" &&
      action != "DeleteMessageBatch")
    return deny("InvalidAction", "The action " + std::string(action) + " is not valid for this endpoint.");
  AWS_TRY(state_->check_url(input));
  if (action == "ReceiveMessage") return state_->receive(world_, input, stop);
  if (action == "DeleteMessageBatch") {
    std::lock_guard lock(world_.mutex);
    return state_->remove_batch(input);
  }
  if (action == "DeleteMessage") {
    std::lock_guard lock(world_.mutex);
    state_->remove(string_in(input, "ReceiptHandle"));
    return object();
  }
  value answer;
  {
    std::lock_guard lock(world_.mutex);
    answer = AWS_TRY(state_->send(world_, input));
  }
  world_.arrived->notify();
  return answer;
}

}  // namespace tenon::awssim
