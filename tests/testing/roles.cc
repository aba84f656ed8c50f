// SPDX-License-Identifier: Apache-2.0
#include "testing/roles.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "base/check.h"
#include "base/text.h"
#include "http/message.h"
#include "json/json.h"
#include "json/yaml.h"

namespace tenon::testing {
namespace {

struct Ask {
  std::string verb, group, resource, ns, name;  // resource: with its subresource
  std::string text() const { return verb + " " + resource + (ns.empty() ? "" : " in " + ns); }
};

struct Rule {
  std::vector<std::string> groups, resources, verbs, names;  // names empty: any
  std::string ns;                                            // empty: every one
};

std::vector<std::string> texts(const json::value& rule, const char* field) {
  std::vector<std::string> out;
  for (const json::value& item : json::array_at(rule, {field})) out.emplace_back(item.as_string());
  return out;
}

bool contains(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

std::vector<Rule> read_rules(const std::string& file) {
  std::ifstream in(TENON_SOURCE_DIR "/deploy/" + file);
  std::ostringstream text;
  text << in.rdbuf();
  const auto documents = json::parse_yaml(text.str());
  CHECK(documents.has_value() && !documents->empty(), "deploy/" + file);
  std::vector<Rule> out;
  for (const json::value& role : *documents) {
    for (const json::value& rule : json::array_at(role, {"rules"})) {
      out.push_back({texts(rule, "apiGroups"), texts(rule, "resources"), texts(rule, "verbs"),
                     texts(rule, "resourceNames"), std::string(json::string_at(role, {"metadata", "namespace"}))});
    }
  }
  return out;
}

// The files are read once: a scenario makes a transport for each start of a process.
const std::vector<Rule>& deployed_rules(const std::vector<std::string>& files) {
  static std::map<std::vector<std::string>, std::vector<Rule>> rules;
  const auto at = rules.find(files);
  if (at != rules.end()) return at->second;
  std::vector<Rule> all;
  for (const std::string& file : files) {
    for (Rule& rule : read_rules(file)) all.push_back(std::move(rule));
  }
  return rules.emplace(files, std::move(all)).first->second;
}

bool allowed(const std::vector<Rule>& rules, const Ask& ask) {
  return std::any_of(rules.begin(), rules.end(), [&](const Rule& rule) {
    return contains(rule.groups, ask.group) && contains(rule.resources, ask.resource) &&
           contains(rule.verbs, ask.verb) && (rule.ns.empty() || rule.ns == ask.ns) &&
           (rule.names.empty() || contains(rule.names, ask.name));
  });
}

// Returns nothing for requests that every user may make (/version, /api).
std::optional<Ask> read(const http::Request& request) {
  const auto url = http::parse_url(request.url);
  std::vector<std::string> parts;
  for (const std::string_view part : split(url->path, '/')) {
    if (!part.empty()) parts.push_back(percent_decode(part));
  }
  const bool core = parts.size() > 2 && parts[0] == "api", named = parts.size() > 3 && parts[0] == "apis";
  if (!core && !named) return std::nullopt;
  Ask ask;
  ask.group = core ? "" : parts[1];
  parts.erase(parts.begin(), parts.begin() + (core ? 2 : 3));
  if (parts.size() > 2 && parts[0] == "namespaces") {
    ask.ns = parts[1];
    parts.erase(parts.begin(), parts.begin() + 2);
  }
  ask.resource = parts[0];
  if (parts.size() > 1) ask.name = parts[1];
  if (parts.size() > 2) ask.resource += "/" + parts[2];
  if (request.method == "GET") {
    const bool watch = url->query.find("watch=") != std::string_view::npos;
    ask.verb = watch ? "watch" : ask.name.empty() ? "list" : "get";
    // An API server compares the field selector of a list or watch with resourceNames.
    constexpr std::string_view kOneName = "fieldSelector=metadata.name=";
    const std::string query = percent_decode(url->query);
    if (const size_t at = query.find(kOneName); ask.name.empty() && at != query.npos)
      ask.name = cut(std::string_view(query).substr(at + kOneName.size()), '&').first;
  } else {
    ask.verb = request.method == "POST" ? "create" : request.method == "PUT" ? "update" : to_lower(request.method);
  }
  return ask;
}

class JudgingTransport final : public http::Transport {
 public:
  JudgingTransport(std::unique_ptr<http::Transport> inner, std::vector<std::string>& refused,
                   const std::vector<Rule>& rules)
      : inner_(std::move(inner)), refused_(refused), rules_(rules) {}
  Result<http::Response> send(const http::Request& request, const std::stop_token& stop) override {
    judge(request);
    return inner_->send(request, stop);
  }
  Status stream(const http::Request& request, http::StreamSink& sink, const std::stop_token& stop) override {
    judge(request);
    return inner_->stream(request, sink, stop);
  }

 private:
  void judge(const http::Request& request) {
    const auto ask = read(request);
    if (!ask || allowed(rules_, *ask) || contains(refused_, ask->text())) return;
    refused_.push_back(ask->text());
  }

  const std::unique_ptr<http::Transport> inner_;
  std::vector<std::string>& refused_;
  const std::vector<Rule>& rules_;
};

}  // namespace

std::unique_ptr<http::Transport> hold_to_roles(std::unique_ptr<http::Transport> inner,
                                               std::vector<std::string>& refused,
                                               const std::vector<std::string>& files) {
  return std::make_unique<JudgingTransport>(std::move(inner), refused, deployed_rules(files));
}

}  // namespace tenon::testing
