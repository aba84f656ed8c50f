// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/demo_control.h"

#include "json/json.h"

namespace tenon::cli {
namespace {

http::Response text(int status, std::string body) {
  http::Response answer{status, {}, std::move(body)};
  answer.headers.set("Content-Type", "text/plain; charset=utf-8");
  return answer;
}

}  // namespace

void DemoControl::serve(const http::ServerRequest& request, http::ResponseWriter& writer, const std::stop_token& stop) {
  const bool ours = request.raw_path == kAdvancePath || request.raw_path == kInstancesPath;
  if (!ours) return cluster_.api_handler().serve(request, writer, stop);
  if (request.headers.get("Authorization") != authorization_) {
    return writer.respond(text(401, "the demo's token is required\n"));
  }
  writer.respond(request.raw_path == kAdvancePath ? advance(request) : instances());
}

http::Response DemoControl::advance(const http::ServerRequest& request) {
  std::optional<Duration> by;
  for (const auto& [key, value] : http::parse_query(request.raw_query)) {
    if (key == "by") by = parse_go_duration(value);
  }
  if (request.method != "POST" || !by || *by <= Duration(0)) {
    return text(400, "POST with ?by=DURATION, such as 720h\n");
  }
  runtime_.advance(*by);
  return text(200, "the time is " + format_rfc3339(runtime_.now()) + "\n");
}

http::Response DemoControl::instances() {
  json::array all;
  for (const auto& instance : cluster_.fake_aws().instances()) {
    all.push_back(json::object{{"id", instance.id},
                               {"type", instance.type},
                               {"zone", instance.zone},
                               {"capacityType", instance.capacity_type},
                               {"state", instance.state}});
  }
  http::Response answer{200, {}, json::to_pretty(json::value(std::move(all)))};
  answer.headers.set("Content-Type", "application/json");
  return answer;
}

}  // namespace tenon::cli
