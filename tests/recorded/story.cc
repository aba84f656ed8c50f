// SPDX-License-Identifier: Apache-2.0
#include "recorded/story.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <fstream>
#include <memory>

#include "base/text.h"
#include "http/loopback_transport.h"
#include "json/json.h"
#include "json/yaml.h"
#include "kubesim/apiserver/front/server.h"
#include "runtime/sim.h"
#include "schema/builtin_crds.h"

namespace tenon::recorded {
namespace {

using json::value;

constexpr Duration kAWhile = 1s;  // virtual, in which a watch delivers its events

// A watch that lasts until the story's end: kubectl's connection ended some time after kubectl.
struct OpenWatch : http::StreamSink {
  bool on_head(int code, const http::Headers&) override {
    status = code;
    return true;
  }
  bool on_data(std::string_view bytes) override {
    text += bytes;
    return true;
  }
  int status = 0;
  std::string text, request;
  value line, command;
  std::unique_ptr<runtime::Task> task;  // last: uses the members above
};

std::string body_text(const value& body) {
  if (const value* base64 = json::find(body, {"base64"}); base64 != nullptr && body.get_object().size() == 1) {
    std::string bytes;
    base64_decode(base64->get_string(), bytes);
    return bytes;
  }
  return body.is_string() ? std::string(body.get_string()) : json::to_string(body);
}

// Returns the text of a body without its field managers, which contain the server's times.
std::string without_managers(const value& body) {
  value rest = reduced(body);
  if (json::array* operations = rest.if_array()) {
    const auto of_managers = [](const value& o) { return json::string_at(o, {"path"}).ends_with("/managedFields"); };
    operations->erase(std::remove_if(operations->begin(), operations->end(), of_managers), operations->end());
  }
  return body_text(rest);
}

class Story {
 public:
  Story(std::string name, Differences& differences, const value& head)
      : name_(std::move(name)),
        differences_(differences),
        agent_(fmt::format("kubectl/{}", json::string_at(head, {"kubectl"}))),
        sim_(runtime::make_sim_runtime({})),
        server_(kubesim::make_api_server(*sim_, {.git_version = std::string(json::string_at(head, {"server"}))})),
        transport_(http::make_loopback_transport({{"api", server_.get()}})) {}

  Status install_crds() {
    for (const auto& [file, yaml] : schema::builtin_crds()) {
      const auto documents = TRY(json::parse_yaml(yaml));
      for (const value& crd : documents) {
        TRY(server_->create({"apiextensions.k8s.io", "customresourcedefinitions"}, "", crd));
      }
    }
    return ok();
  }

  void play(const value& line) {
    if (const value* command = json::find(line, {"command"})) {
      command_ = *command;
      if (json::array_at(line, {"command"}).at(0) != "(driver)") outcome_.commands.push_back(json::to_string(*command));
      return;
    }
    ++outcome_.requests;
    if (json::find(line, {"events"}) != nullptr) return open_watch(line);
    const http::Request request = to_request(line);
    const auto response = transport_->send(request, {});
    if (!response) return complain(label(line), {"", "an answer", response.error().message});
    check(line, *response);
  }

  Outcome finish() {
    sim_->run_for(kAWhile);
    for (OpenWatch& watch : watches_) {
      watch.task->request_stop();
      watch.task->join();
      command_ = watch.command;
      check_events(watch);
    }
    return std::move(outcome_);
  }

 private:
  static std::string label(const value& line) {
    return fmt::format("{} {}", json::string_at(line, {"request", "method"}),
                       json::string_at(line, {"request", "path"}));
  }

  http::Request to_request(const value& line) {
    const value& recorded = *json::find(line, {"request"});
    http::Request request;
    request.method = json::string_at(recorded, {"method"});
    const std::string path = names_.translate(json::string_at(recorded, {"path"}));
    std::string query = names_.translate_query(json::string_at(recorded, {"query"}));
    if (const auto known = openapi_.find(path); known != openapi_.end()) query = known->second;
    request.url = "http://api" + path + (query.empty() ? "" : "?" + query);
    request.headers.set("Accept", std::string(json::string_at(recorded, {"accept"}, "application/json")));
    request.headers.set("User-Agent", agent_);
    if (const value* body = json::find(recorded, {"body"})) {
      value now = *body;
      names_.translate_body(now);
      request.body = body_text(now);
      request.headers.set("Content-Type", std::string(json::string_at(recorded, {"type"})));
      names_.note_request(without_managers(now));
    }
    names_.note_request(query);
    return request;
  }

  void open_watch(const value& line) {
    OpenWatch& watch = watches_.emplace_back();
    watch.line = line;
    watch.request = label(line);
    watch.command = command_;
    watch.task = sim_->spawn("watch", [this, &watch, request = to_request(line)](const std::stop_token& stop) {
      const Status ended = transport_->stream(request, watch, stop);
      if (!ended && !stop.stop_requested()) watch.text += ended.error().message;
    });
    sim_->run_for(kAWhile);
  }

  void check(const value& line, const http::Response& response) {
    const std::string request = label(line);
    if (const int64_t status = json::int_at(line, {"status"}); status != response.status) {
      complain(request, {"HTTP status", std::to_string(status), fmt::format("{} {}", response.status, response.body)});
      return;
    }
    const std::string_view type = cut(response.headers.get("Content-Type"), ';').first;
    const std::string_view wanted_type = json::string_at(line, {"type"}, "application/json");
    if (type != wanted_type) complain(request, {"content type", std::string(wanted_type), std::string(type)});
    const std::string_view warning = response.headers.get("Warning");
    if (const std::string_view wanted = json::string_at(line, {"warning"}); warning != wanted) {
      complain(request, {"warning", std::string(wanted), std::string(warning)});
    }
    if (request == "GET /openapi/v3") note_openapi(response.body);
    const value* answer = json::find(line, {"answer"});
    if (answer == nullptr) return;
    auto seen = json::parse(response.body);
    value shown = seen ? reduced(*seen) : value(response.body);
    if (request == "GET /apis") keep_recorded_groups(shown);
    compare_and_complain(request, *answer, shown);
  }

  void keep_recorded_groups(value& answer) const {
    const auto is_recorded = [&](const value& group) {
      const std::string_view name = json::string_at(group, {"name"}, json::string_at(group, {"metadata", "name"}));
      return std::find(differences_.groups().begin(), differences_.groups().end(), name) != differences_.groups().end();
    };
    for (const std::string_view list : {"groups", "items"}) {
      value* groups = json::find(answer, {list});
      if (groups == nullptr) continue;
      json::array kept;
      for (const value& group : groups->get_array()) {
        if (is_recorded(group)) kept.push_back(group);
      }
      *groups = std::move(kept);
    }
  }

  // Documents are requested with a hash from this server's index.
  void note_openapi(const std::string& body) {
    const auto index = json::parse(body);
    if (!index) return;
    for (const auto& entry : json::object_at(*index, {"paths"})) {
      const auto [path, query] = cut(json::string_at(entry.value(), {"serverRelativeURL"}), '?');
      openapi_.insert_or_assign(std::string(path), std::string(query));
    }
  }

  void check_events(const OpenWatch& watch) {
    if (watch.status != 200)
      return complain(watch.request, {"HTTP status", "200", std::to_string(watch.status) + watch.text});
    const auto lines = split(watch.text, '\n');
    const json::array& events = json::array_at(watch.line, {"events"});
    for (size_t i = 0; i < events.size(); ++i) {
      const auto seen = i < lines.size() ? json::parse(lines[i]) : Result<value>(value());
      const std::string request = fmt::format("watch {} event {}", watch.request, i);
      compare_and_complain(request, events[i], seen ? reduced(*seen) : value(lines[i]));
    }
  }

  void compare_and_complain(const std::string& request, const value& recorded, const value& seen) {
    for (const Difference& difference : compare(recorded, seen, names_)) {
      if (!differences_.allows(request, difference)) complain(request, difference);
    }
  }

  void complain(const std::string& request, const Difference& difference) {
    outcome_.complaints.push_back(fmt::format("{}: {}\n  {}\n  at {}\n    recorded {}\n    seen     {}", name_,
                                              json::to_string(command_), request, difference.at, difference.recorded,
                                              difference.seen));
  }

  const std::string name_;
  Differences& differences_;
  const std::string agent_;
  std::unique_ptr<runtime::SimRuntime> sim_;
  std::unique_ptr<kubesim::ApiServer> server_;
  std::unique_ptr<http::Transport> transport_;
  Names names_;
  std::map<std::string, std::string, std::less<>> openapi_;
  value command_;
  Outcome outcome_;
  std::deque<OpenWatch> watches_;
};

}  // namespace

Result<Outcome> replay(const std::string& file, Differences& differences) {
  std::ifstream in(file);
  std::string text;
  if (!std::getline(in, text)) return fail(Code::kInvalid, file + ": not a recording");
  Story story(file.substr(file.rfind('/') + 1), differences, TRY_IN(file, json::parse(text)));
  TRY(story.install_crds());
  while (std::getline(in, text)) story.play(TRY_IN(file, json::parse(text)));
  return story.finish();
}

}  // namespace tenon::recorded
