// Checks the expectations of a step of a life-cycle scenario.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "expectation.h"
#include "json/json.h"
#include "life_view.h"
#include "life_world.h"

namespace tenon::scenarios {
namespace {

using json::value;
using kubesim::Object;

// The part of an object's view that scenarios compare; for messages.
std::string shown(const value& view) {
  json::object few;
  for (const char* part : {"conditions", "taints"}) few[part] = view.at(part);
  few["labels"] = json::object_at(view, {"metadata", "labels"});
  few["annotations"] = json::object_at(view, {"metadata", "annotations"});
  return json::to_string(few);
}

// "Pod", "Pod/a" or "Node#0": the object of an event.
bool is_about(const value& event, const std::string& kind, const std::string& name) {
  return json::string_at(event, {"involvedObject", "kind"}) == kind &&
         (name.empty() || json::string_at(event, {"involvedObject", "name"}) == name);
}

}  // namespace

std::vector<std::string> LifeWorld::differences(const value& expected) {
  std::vector<std::string> wrong;
  for (const auto& member : expected.get_object()) {
    const std::string name(member.key());
    if (name == "events") {
      compare_events(member.value(), wrong);
    } else if (name == "log") {
      compare_log(member.value(), wrong);
    } else if (name == "metrics") {
      compare_metrics(member.value(), wrong);
    } else if (name == "instances") {
      compare_instances(member.value(), wrong);
    } else if (name == "tags") {
      compare_tags(member.value(), wrong);
    } else if (name == "calls") {
      for (const auto& call : member.value().as_object()) {
        const int calls = world_->cluster().fake_aws().calls(std::string(call.key()));
        if (!is_amount(call.value(), calls))
          wrong.push_back(fmt::format("{} calls of {}", calls, std::string(call.key())));
      }
    } else if (name == "count") {
      for (const auto& kind : member.value().as_object()) {
        const size_t count = all_of(std::string(kind.key())).size();
        if (!is_amount(kind.value(), static_cast<double>(count)))
          wrong.push_back(fmt::format("{} of kind {}", count, std::string(kind.key())));
      }
    } else {
      compare_objects(json::object{{name, member.value()}}, wrong);
    }
  }
  return wrong;
}

void LifeWorld::compare_objects(const value& wanted, std::vector<std::string>& out) {
  for (const auto& member : wanted.get_object()) {
    const std::string reference(member.key());
    value form = member.value();
    if (const Status filled = fill_in(form); !filled) return out.push_back(filled.error().message);
    const auto object = find(reference);
    if (form.is_null()) {
      if (object) out.push_back(reference + " is there");
      continue;
    }
    if (!object) {
      out.push_back(object.error().message);
      continue;
    }
    const value view = view_of(**object);
    const std::string difference = scenarios::difference(form, view, reference);
    if (!difference.empty()) out.push_back(difference + "\n    of " + shown(view));
  }
}

void LifeWorld::compare_events(const value& wanted, std::vector<std::string>& out) {
  const std::vector<Object> all = all_of("Event");
  for (const value& event : wanted.as_array()) {
    const std::string reference(json::string_at(event, {"of"}));
    const std::string_view reason = json::string_at(event, {"reason"});
    const std::string_view message = json::string_at(event, {"message"}, "*"), type = json::string_at(event, {"type"});
    std::string kind(cut(cut(reference, '/').first, '#').first), name(cut(reference, '/').second);
    if (reference.find('#') != std::string::npos) {
      const auto object = find(reference);
      if (object) name = json::string_at(**object, {"metadata", "name"});
    }
    int found = 0;
    std::string others;
    for (const Object& seen : all) {
      if (!is_about(*seen, kind, name) || json::string_at(*seen, {"reason"}) != reason) continue;
      const std::string_view text = json::string_at(*seen, {"message"});
      const bool fits = matches(message, text) && (type.empty() || json::string_at(*seen, {"type"}) == type);
      found += fits ? 1 : 0;
      if (!fits) others += "\n    " + std::string(text);
    }
    const value* times = json::find(event, {"times"});
    if (times ? is_amount(*times, found) : found > 0) continue;
    out.push_back(fmt::format("{} events {} of {} like that; others:{}", found, reason, reference, others));
  }
}

void LifeWorld::compare_metrics(const value& wanted, std::vector<std::string>& out) const {
  const std::string text = world_->registry().text();
  for (const auto& metric : wanted.as_object()) {
    int series = 0;
    const double sum = sum_of(text, metric.key(), series);
    const value& amount = metric.value();
    const bool fits = amount.is_null() ? series == 0 : series > 0 && is_amount(amount, sum);
    if (!fits) out.push_back(fmt::format("{} is {} in {} series", std::string(metric.key()), sum, series));
  }
}

void LifeWorld::compare_instances(const value& wanted, std::vector<std::string>& out) {
  std::map<std::string, int> by_state{{"running", 0}, {"ended", 0}, {"reserved", 0}, {"enclaves", 0}};
  for (const auto& instance : world_->cluster().fake_aws().instances()) {
    const bool lives = instance.state == "running" || instance.state == "pending";
    ++by_state[lives ? "running" : "ended"];
    if (lives && !instance.capacity_reservation_id.empty()) ++by_state["reserved"];
    if (lives && instance.enclaves) ++by_state["enclaves"];
  }
  for (const auto& state : wanted.as_object()) {
    const int count = by_state.at(std::string(state.key()));
    if (!is_amount(state.value(), count)) {
      out.push_back(fmt::format("{} instances {}", count, std::string(state.key())));
    }
  }
}

void LifeWorld::compare_tags(const value& wanted, std::vector<std::string>& out) {
  const auto instances = world_->cluster().fake_aws().instances();
  for (const auto& member : wanted.as_object()) {
    value form = member.value();
    if (const Status filled = fill_in(form); !filled) return out.push_back(filled.error().message);
    const std::string reference(member.key());
    const auto id = instance_of(reference);
    if (!id) return out.push_back(id.error().message);
    json::object tags;
    for (const auto& instance : instances) {
      if (instance.id != *id) continue;
      for (const auto& [key, text] : instance.tags) tags[key] = text;
    }
    const std::string difference = scenarios::difference(form, tags, "tags of " + reference);
    if (!difference.empty()) out.push_back(difference + "\n    of " + json::to_string(tags));
  }
}

}  // namespace tenon::scenarios
