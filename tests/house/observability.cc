// SPDX-License-Identifier: Apache-2.0
#include "observability.h"

#include "base/text.h"
#include "log/messages.h"
#include "plan/condition_table.h"
#include "plan/event_table.h"

namespace tenon::house {
namespace {

constexpr const char* kEventsHead = R"(# Events

The controllers record these events; `kubectl get events` and `kubectl describe` show them. Their source is `karpenter`,
so that filters for Karpenter's events find them. This page is made of `src/plan/event_table.cc`; a test compares the
page, and the scenarios compare each event that they record with the table.

- Parts in *<…>* differ from event to event. An object `*` is any kind.
- An event of equal reason about the same object is not repeated within two minutes, unless its row says otherwise.
- Of one reason about one object at most 25 are recorded at once, then one in 5 min. A message is cut at 1,024 bytes.
- Events of `EC2NodeClass` are recorded about an `AWSNodeTemplate`, those of `NodePool` about a `Provisioner`, if the
  cluster has these objects of v0.27.

| reason | type | object | message | when |
| --- | --- | --- | --- | --- |
)";

constexpr const char* kConditionsHead = R"(# Conditions

The controllers write these conditions into `status.conditions`; `kubectl describe` shows them. This page is made of
`src/plan/condition_table.cc`; a test compares the page, and the scenarios compare each condition of their objects with
the table.

`Ready` summarizes the conditions that its row names. `Consolidatable`, `Drifted` and `DisruptionReason` are True or
absent. The metrics `operator_<kind>_status_condition_*` count them, and each change of a status is an
[event](events.md) whose reason is the condition.

A `Provisioner` has the conditions of a NodePool, an `AWSNodeTemplate` those of an EC2NodeClass.
)";

constexpr const char* kLogsHead = R"(# Log lines

`tenon controller` writes one line for each event of the table below, with Karpenter's messages and keys, so that
searches and alerts for Karpenter's log work. This page is made of `src/log/messages.cc`; a test compares them. Lines
with other messages are Tenon's own: decisions in words, and warnings.

```json
{"level":"INFO","time":"2026-11-27T10:00:03.127Z","logger":"controller","message":"launched nodeclaim","commit":"…",
 "controller":"nodeclaim.lifecycle","controllerGroup":"karpenter.sh","controllerKind":"NodeClaim","namespace":"",
 "name":"default-x7x2k","reconcileID":"…","NodePool":{"name":"default"},"NodeClaim":{"name":"default-x7x2k"},
 "provider-id":"aws:///us-east-1a/i-0a1b2c","instance-type":"m5.large","zone":"us-east-1a",
 "capacity-type":"on-demand","allocatable":{"cpu":"1930m"},"detail":"launched m5.large in us-east-1a …"}
```

| key | value |
| --- | --- |
| `level` | `DEBUG`, `INFO`, `WARN` or `ERROR`. a warning is about what works, but not as wished; Karpenter has none |
| `time` | RFC 3339 in UTC, with milliseconds |
| `logger` | `controller` |
| `message` | as in the table |
| `commit` | of the program |
| `controller`, `controllerGroup`, `controllerKind`, `namespace`, `name` | who reconciles which object |
| `reconcileID` | the same for all lines of one reconciliation |
| `NodePool`, `NodeClaim`, `Node` | `{"name": …}` |
| `error` | why it failed; the message of an error that is retried is `Reconciler error` |
| `detail` | Tenon's own: the decision in words, with figures |

## Settings

- `--log-level` is the lowest level: `debug`, `info`, `warn` or `error`. The ConfigMap `config-logging` of v0.27 changes
  it at once, with the key `loglevel.controller` or the `level` in `zap-logger-config`; a value that is not a level is
  reported, and the level stays.
- `--log-format` is `json`, `console` (the form of zap: time, level, logger, message and the other keys as JSON, divided
  by tabs) or `text` (for people: the words of a decision without its keys).
- `--log-output-paths` lists where lines go: `stdout`, `stderr` or files. `--log-error-output-paths` lists where the log
  reports its own errors, such as a full disk, at most every 30 s. As with zap, lines of level `ERROR` do not go there.
- `--log-sampling 100:100`: of the lines of one level and one message in a second, the first 100 are written, then each
  100th. `off` writes each line.
- An error that repeats is written every 30 s, with the number of those left out. While a peer does not answer, all
  objects of a controller share one line.

## Messages

)";

std::string code_list(std::string_view words) {
  std::string out;
  if (words.empty()) return out;
  for (const std::string_view word : split(words, ' ')) {
    out += (out.empty() ? "`" : ", `") + std::string(word) + "`";
  }
  return out;
}

// "Node NodeClaim" → "Node, NodeClaim"
std::string join_words(std::string_view words) {
  std::string out;
  for (const std::string_view word : split(words, ' ')) out += (out.empty() ? "" : ", ") + std::string(word);
  return out;
}

// Escapes what a table or HTML would interpret.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '*' || c == '<' || c == '>') out += '\\';
    out += c;
  }
  return out;
}

std::string_view level_name(log::Level level) {
  switch (level) {
    case log::Level::kDebug: return "DEBUG";
    case log::Level::kInfo: return "INFO";
    case log::Level::kWarn: return "WARN";
    case log::Level::kError: break;
  }
  return "ERROR";
}

}  // namespace

std::string events_page() {
  std::string page = kEventsHead;
  for (const plan::EventRow& row : plan::event_table()) {
    const bool any = row.reason.starts_with('<');
    page += "| " + (any ? cell(row.reason) : "`" + std::string(row.reason) + "`") + " | " + std::string(row.type) +
            " | " + cell(join_words(row.objects)) + " | " + cell(row.message) + " | " + std::string(row.when) + " |\n";
  }
  return page;
}

std::string conditions_page() {
  std::string page = kConditionsHead, kind;
  for (const plan::ConditionRow& row : plan::condition_table()) {
    if (row.kind != kind) {
      kind = row.kind;
      page += "\n## " + kind + "\n";
    }
    page += "\n### " + std::string(row.type) + "\n\n" + std::string(row.meaning) +
            "\n\n| status | reason | meaning |\n" + "| --- | --- | --- |\n";
    for (const plan::ConditionReason& one : row.reasons) {
      page += "| " + cell(join_words(one.status)) + " | " + (one.reason == "*" ? "any" : code_list(one.reason)) +
              " | " + cell(one.meaning) + " |\n";
    }
  }
  return page;
}

std::string logs_page() {
  std::string page = kLogsHead;
  page += "| message | level | keys | when |\n| --- | --- | --- | --- |\n";
  for (const log::Message* one : log::all_messages()) {
    page += "| `" + std::string(one->text) + "` | " + std::string(level_name(one->level)) + " | " +
            code_list(one->keys) + " | " + std::string(one->when) + " |\n";
  }
  return page;
}

}  // namespace tenon::house
