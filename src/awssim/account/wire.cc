// SPDX-License-Identifier: Apache-2.0
#include "awssim/account/wire.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "http/message.h"

namespace tenon::awssim {
namespace {

constexpr std::string_view kTokenPrefix = "after:";

std::optional<int64_t> number_of(std::string_view text) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

void escape_into(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const size_t plain = std::min(text.find_first_of("&<>\""), text.size());
    out.append(text, 0, plain);
    text.remove_prefix(plain);
    if (text.empty()) return;
    switch (text.front()) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      default: out += "&quot;";
    }
    text.remove_prefix(1);
  }
}

// "12.Name" is {12, "Name"}; "12" is {12, ""}; std::nullopt for other texts.
std::optional<std::pair<int64_t, std::string_view>> split_index(std::string_view text) {
  auto [index, rest] = cut(text, '.');
  auto number = number_of(index);
  if (!number) return std::nullopt;
  return std::pair(*number, rest);
}

bool any_matches(const std::vector<std::string>& values, const std::vector<std::string>& patterns) {
  return std::any_of(values.begin(), values.end(), [&](const std::string& value) {
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](const std::string& pattern) { return matches_pattern(value, pattern); });
  });
}

}  // namespace

tl::unexpected<AwsError> dry_run_succeeded() {
  return deny("DryRunOperation", "Request would have succeeded, but DryRun flag is set.", 412);
}

int status_of(std::string_view code) {
  static const std::map<std::string_view, int> kStatuses{
      {"AccessDenied", 403},          {"AccessDeniedException", 403}, {"AuthFailure", 401},
      {"DryRunOperation", 412},       {"InternalError", 500},         {"InternalFailure", 500},
      {"InternalServerError", 500},   {"NoSuchEntity", 404},          {"RequestLimitExceeded", 503},
      {"ServiceFailure", 500},        {"ServiceUnavailable", 503},    {"Unavailable", 503},
      {"UnauthorizedOperation", 403}, {"EntityAlreadyExists", 409},   {"ResourceNotFoundException", 404}};
  auto found = kStatuses.find(code);
  return found == kStatuses.end() ? 400 : found->second;
}

AwsError asked_for(std::string_view text, std::string_view message) {
  const size_t end = text.find(": ");
  const std::string_view code = text.substr(0, end);
  return {status_of(code), std::string(code), std::string(end == text.npos ? message : text.substr(end + 2))};
}

Params Params::parse(std::string_view form) {
  Params params;
  for (auto& [name, value] : http::parse_query(form)) params.values_.insert_or_assign(name, value);
  return params;
}

std::string_view Params::get(std::string_view name) const {
  auto found = values_.find(name);
  return found == values_.end() ? std::string_view() : std::string_view(found->second);
}

Outcome<int64_t> Params::integer(std::string_view name, int64_t otherwise) const {
  if (!has(name)) return otherwise;
  auto value = number_of(get(name));
  if (!value)
    return deny("InvalidParameterValue", "Value (" + std::string(get(name)) + ") for parameter " + std::string(name) +
                                             " is invalid. It is not an integer.");
  return *value;
}

std::vector<std::string> Params::list(std::string_view name) const {
  std::map<int64_t, std::string> by_index;
  std::string prefix = std::string(name) + ".";
  for (auto at = values_.lower_bound(prefix); at != values_.end() && at->first.starts_with(prefix); ++at) {
    auto index = split_index(std::string_view(at->first).substr(prefix.size()));
    if (index && index->second.empty()) by_index[index->first] = at->second;
  }
  std::vector<std::string> values;
  for (auto& [index, value] : by_index) values.push_back(std::move(value));
  return values;
}

std::vector<Params> Params::structs(std::string_view name) const {
  std::map<int64_t, Params> by_index;
  std::string prefix = std::string(name) + ".";
  for (auto at = values_.lower_bound(prefix); at != values_.end() && at->first.starts_with(prefix); ++at) {
    auto index = split_index(std::string_view(at->first).substr(prefix.size()));
    if (index && !index->second.empty()) by_index[index->first].values_.emplace(index->second, at->second);
  }
  std::vector<Params> result;
  for (auto& [index, params] : by_index) result.push_back(std::move(params));
  return result;
}

Params Params::sub(std::string_view name) const {
  Params result;
  std::string prefix = std::string(name) + ".";
  for (auto at = values_.lower_bound(prefix); at != values_.end() && at->first.starts_with(prefix); ++at)
    result.values_.emplace(at->first.substr(prefix.size()), at->second);
  return result;
}

Tags Params::tags(std::string_view name) const {
  Tags tags;
  for (const Params& tag : structs(name)) tags.insert_or_assign(std::string(tag.get("Key")), tag.get("Value"));
  return tags;
}

std::string Params::fingerprint(std::initializer_list<std::string_view> without) const {
  std::string text;
  for (const auto& [name, value] : values_) {
    if (std::find(without.begin(), without.end(), name) != without.end()) continue;
    text += percent_encode(name) + "=" + percent_encode(value) + "&";
  }
  return text;
}

Xml& Xml::text(std::string_view name, std::string_view value) {
  out_.append("<").append(name).append(">");
  escape_into(out_, value);
  out_.append("</").append(name).append(">");
  return *this;
}

Xml& Xml::time(std::string_view name, Instant t) { return text(name, aws_time(t)); }

Xml& Xml::element(std::string_view name, const Body& body) {
  out_.append("<").append(name).append(">");
  size_t before = out_.size();
  body();
  if (out_.size() == before) {
    out_.back() = '/';
    out_ += '>';
  } else {
    out_.append("</").append(name).append(">");
  }
  return *this;
}

Xml& Xml::raw(std::string_view xml) {
  out_ += xml;
  return *this;
}

Xml& Xml::texts(std::string_view name, const std::vector<std::string>& values) {
  return element(name, [&] {
    for (const std::string& value : values) text("item", value);
  });
}

Xml& Xml::tags(const Tags& tags) {
  return list("tagSet", tags, [&](const auto& tag) { text("key", tag.first).text("value", tag.second); });
}

std::string aws_time(Instant t) {
  std::string seconds = format_rfc3339(t);
  seconds.pop_back();
  return seconds + ".000Z";
}

bool matches_pattern(std::string_view value, std::string_view pattern) {
  // Greedy with one position to backtrack to: linear for the patterns in use.
  size_t v = 0, p = 0;
  std::optional<std::pair<size_t, size_t>> back;
  while (v < value.size()) {
    bool literal = p + 1 < pattern.size() && pattern[p] == '\\';
    if (!literal && p < pattern.size() && pattern[p] == '*') {
      back = {v, ++p};
      continue;
    }
    char wanted = literal ? pattern[p + 1] : (p < pattern.size() ? pattern[p] : '\0');
    if (p < pattern.size() && ((!literal && wanted == '?') || wanted == value[v])) {
      p += literal ? 2 : 1;
      ++v;
      continue;
    }
    if (!back) return false;
    v = ++back->first;
    p = back->second;
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::vector<Filter> filters_of(const Params& params) {
  std::vector<Filter> filters;
  for (const Params& filter : params.structs("Filter"))
    filters.push_back({std::string(filter.get("Name")), filter.list("Value")});
  return filters;
}

Outcome<bool> passes(const std::vector<Filter>& filters, const Tags& tags, const Attribute& attribute) {
  bool all = true;
  for (const Filter& filter : filters) {
    std::optional<std::vector<std::string>> values;
    if (filter.name.starts_with("tag:")) {
      values.emplace();
      if (auto found = tags.find(filter.name.substr(4)); found != tags.end()) values->push_back(found->second);
    } else if (filter.name == "tag-key" || filter.name == "tag-value") {
      values.emplace();
      for (const auto& [key, value] : tags) values->push_back(filter.name == "tag-key" ? key : value);
    } else {
      values = attribute(filter.name);
    }
    if (!values) return deny("InvalidParameterValue", "The filter '" + filter.name + "' is invalid");
    all = all && any_matches(*values, filter.patterns);
  }
  return all;
}

Outcome<PageRequest> page_request(const Params& params, int64_t limit) {
  PageRequest request{.token = params.get("NextToken"), .max_results = 0, .limit = limit};
  request.max_results = AWS_TRY(params.integer("MaxResults", 0));
  if (params.has("MaxResults") && request.max_results < 1)
    return deny("InvalidParameterValue",
                "Value (" + std::string(params.get("MaxResults")) +
                    ") for parameter maxResults is invalid. Expecting a value greater than 0.");
  return request;
}

Outcome<Page> page_of(const std::vector<std::string>& keys, const PageRequest& request) {
  Page page;
  if (!request.token.empty()) {
    std::string token;
    if (!base64_decode(request.token, token) || !token.starts_with(kTokenPrefix))
      return deny("InvalidParameterValue", "Unable to parse pagination token");
    std::string after = token.substr(kTokenPrefix.size());
    page.begin = static_cast<size_t>(std::upper_bound(keys.begin(), keys.end(), after) - keys.begin());
  }
  int64_t size = request.max_results > 0 ? std::min(request.max_results, request.limit) : request.limit;
  page.end = std::min(keys.size(), page.begin + static_cast<size_t>(size));
  if (page.end < keys.size()) page.next_token = base64_encode(std::string(kTokenPrefix) + keys[page.end - 1]);
  return page;
}

}  // namespace tenon::awssim
