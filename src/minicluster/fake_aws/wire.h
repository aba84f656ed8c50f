// What every simulated service shares: request parameters, the XML that goes back, errors, pages of a list.
// The names and shapes are those of the public service models of EC2 (2016-11-15), IAM, STS, SSM, EKS, Pricing and SQS.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "base/instant.h"

namespace tenon::minicluster::fake {

using Tags = std::map<std::string, std::string, std::less<>>;

// An error as a client sees it: HTTP status, AWS's code, a sentence.
struct AwsError {
  int status = 400;
  std::string code;
  std::string message;
};
template <class T>
using Outcome = tl::expected<T, AwsError>;

inline tl::unexpected<AwsError> deny(std::string code, std::string message, int status = 400) {
  return tl::unexpected<AwsError>(AwsError{status, std::move(code), std::move(message)});
}
tl::unexpected<AwsError> dry_run_succeeded();
// The HTTP status that goes with a well-known code: 503 for RequestLimitExceeded, 403 for UnauthorizedOperation, …
int status_of(std::string_view code);
// An error that a test asks for: "Code", or "Code: message"; without a message of its own it has this one.
AwsError asked_for(std::string_view text, std::string_view message);

namespace internal {
template <class T>
T take(Outcome<T>&& outcome) {
  return std::move(*outcome);
}
inline void take(Outcome<void>&&) {}
}  // namespace internal

// The value of an Outcome, or a return of its error from the enclosing function.
#define AWS_TRY(...)                                                                     \
  __extension__({                                                                        \
    auto aws_outcome_ = (__VA_ARGS__);                                                   \
    if (!aws_outcome_) return tl::unexpected<AwsError>(std::move(aws_outcome_.error())); \
    ::tenon::minicluster::fake::internal::take(std::move(aws_outcome_));                 \
  })

// Parameters of the query protocol: "Filter.1.Name=…&Filter.1.Value.1=…". Value type.
class Params {
 public:
  static Params parse(std::string_view form);

  std::string_view get(std::string_view name) const;  // empty if it is not there
  bool has(std::string_view name) const { return values_.contains(name); }
  bool flag(std::string_view name) const { return get(name) == "true"; }
  Outcome<int64_t> integer(std::string_view name, int64_t otherwise) const;
  // Name.1, Name.2, … by index.
  std::vector<std::string> list(std::string_view name) const;
  // The structures Name.1.…, Name.2.… by index, each without its prefix.
  std::vector<Params> structs(std::string_view name) const;
  // The structure Name.….
  Params sub(std::string_view name) const;
  // Tag.1.Key/Tag.1.Value under `name`.
  Tags tags(std::string_view name) const;
  // Everything but the named ones, as one text; equal for equal requests.
  std::string fingerprint(std::initializer_list<std::string_view> without) const;
  bool empty() const { return values_.empty(); }

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

// Writes XML into a string. Elements are closed by the call that opened them.
class Xml {
 public:
  using Body = std::function<void()>;
  Xml& text(std::string_view name, std::string_view value);
  Xml& number(std::string_view name, int64_t value) { return text(name, std::to_string(value)); }
  Xml& boolean(std::string_view name, bool value) { return text(name, value ? "true" : "false"); }
  Xml& time(std::string_view name, Instant t);
  Xml& element(std::string_view name, const Body& body);
  Xml& raw(std::string_view xml);
  // <name><item>…</item>…</name>
  template <class Range, class Each>
  Xml& list(std::string_view name, const Range& range, Each each, std::string_view item = "item") {
    return element(name, [&] {
      for (const auto& value : range) element(item, [&] { each(value); });
    });
  }
  Xml& texts(std::string_view name, const std::vector<std::string>& values);
  // <tagSet><item><key/><value/></item></tagSet>
  Xml& tags(const Tags& tags);
  const std::string& str() const { return out_; }

 private:
  std::string out_;
};

// "2026-11-20T23:48:45.000Z"
std::string aws_time(Instant t);
// A value against a pattern with '*' and '?'; a backslash takes the next character literally.
bool matches_pattern(std::string_view value, std::string_view pattern);

// One of a Describe call's filters; some value must match some pattern.
struct Filter {
  std::string name;
  std::vector<std::string> patterns;
};
std::vector<Filter> filters_of(const Params& params);
// The values of an attribute; nothing if there is no filter of that name.
using Values = std::optional<std::vector<std::string>>;
inline Values only(std::string_view value) { return std::vector<std::string>{std::string(value)}; }
using Attribute = std::function<Values(std::string_view name)>;
// Errors: InvalidParameterValue for a filter that the resource does not have. tag:KEY, tag-key and tag-value are known
// here.
Outcome<bool> passes(const std::vector<Filter>& filters, const Tags& tags, const Attribute& attribute);

// A page of a list: [begin, end) and, if something is left, the token of the next one. A token names the key after
// which to go on, so that a list that changes between two pages loses and repeats nothing.
struct Page {
  size_t begin = 0, end = 0;
  std::string next_token;
};
struct PageRequest {
  std::string_view token;
  int64_t max_results = 0;  // 0: not given
  int64_t limit = 1000;     // the most that a page holds
};
// keys: sorted, one an item. Errors: InvalidParameterValue for a token that no page gave.
Outcome<Page> page_of(const std::vector<std::string>& keys, const PageRequest& request);
Outcome<PageRequest> page_request(const Params& params, int64_t limit);

}  // namespace tenon::minicluster::fake
