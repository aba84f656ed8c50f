// Shared by the simulated services: request parameters, XML output, errors, pages of a list. Names and shapes are those
// of the public service models of EC2 (2016-11-15), IAM, STS, SSM, EKS, Pricing and SQS.
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

namespace tenon::awssim {

using Tags = std::map<std::string, std::string, std::less<>>;

// An error as a client receives it: HTTP status, AWS's code, message.
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
// The HTTP status of a well-known code: 503 for RequestLimitExceeded, 403 for UnauthorizedOperation, …; 400 for others.
int status_of(std::string_view code);
// The error that a test injects: "Code" or "Code: message". `message` is the default.
AwsError asked_for(std::string_view text, std::string_view message);

namespace internal {
template <class T>
T take(Outcome<T>&& outcome) {
  return std::move(*outcome);
}
inline void take(Outcome<void>&&) {}
}  // namespace internal

// The value of an Outcome; on an error, returns it from the enclosing function.
#define AWS_TRY(...)                                                                     \
  __extension__({                                                                        \
    auto aws_outcome_ = (__VA_ARGS__);                                                   \
    if (!aws_outcome_) return tl::unexpected<AwsError>(std::move(aws_outcome_.error())); \
    ::tenon::awssim::internal::take(std::move(aws_outcome_));                            \
  })

// Parameters of the query protocol: "Filter.1.Name=…&Filter.1.Value.1=…". Value type.
class Params {
 public:
  static Params parse(std::string_view form);

  std::string_view get(std::string_view name) const;  // empty if absent
  bool has(std::string_view name) const { return values_.contains(name); }
  bool flag(std::string_view name) const { return get(name) == "true"; }
  Outcome<int64_t> integer(std::string_view name, int64_t otherwise) const;
  // Name.1, Name.2, … by index.
  std::vector<std::string> list(std::string_view name) const;
  // The structures Name.1.…, Name.2.… by index, each without its prefix.
  std::vector<Params> structs(std::string_view name) const;
  // The structure Name.….
  Params sub(std::string_view name) const;
  // The tags name.1.Key/name.1.Value, ….
  Tags tags(std::string_view name) const;
  // All parameters except the named ones, as one text; equal for equal requests.
  std::string fingerprint(std::initializer_list<std::string_view> without) const;
  bool empty() const { return values_.empty(); }

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

// Writes XML into a string. The call that opens an element also closes it.
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
// Matches a value against a pattern with '*' and '?'. A backslash makes the next character literal.
bool matches_pattern(std::string_view value, std::string_view pattern);

// A filter of a Describe call: at least one value must match at least one pattern.
struct Filter {
  std::string name;
  std::vector<std::string> patterns;
};
std::vector<Filter> filters_of(const Params& params);
// The values of an attribute; std::nullopt if the resource has no filter of that name.
using Values = std::optional<std::vector<std::string>>;
inline Values only(std::string_view value) { return std::vector<std::string>{std::string(value)}; }
using Attribute = std::function<Values(std::string_view name)>;
// Errors: InvalidParameterValue for a filter that the resource does not have. Handles tag:KEY, tag-key and tag-value
// itself.
Outcome<bool> passes(const std::vector<Filter>& filters, const Tags& tags, const Attribute& attribute);

// A page of a list: [begin, end) and, if more follows, the token of the next page. A token names the last key of its
// page, so that changes of the list between two pages neither skip nor repeat entries.
struct Page {
  size_t begin = 0, end = 0;
  std::string next_token;
};
struct PageRequest {
  std::string_view token;
  int64_t max_results = 0;  // 0: absent
  int64_t limit = 1000;     // entries of a page
};
// keys: sorted, one for each item. Errors: InvalidParameterValue for an invalid token.
Outcome<Page> page_of(const std::vector<std::string>& keys, const PageRequest& request);
Outcome<PageRequest> page_request(const Params& params, int64_t limit);

}  // namespace tenon::awssim
