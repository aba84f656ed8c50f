// The scenarios and their manifests are files of examples/ that CMake embeds in the binary: `tenon demo --scenario`
// needs no file. A scenario with an unknown field or a value of another type is refused, with the step and the field.
// SPDX-License-Identifier: Apache-2.0
#include "cli/scenario/scenario.h"

#include <map>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "json/json.h"
#include "json/yaml.h"

namespace tenon::embedded {
using Files = std::vector<std::pair<std::string_view, std::string_view>>;
Files scenarios();
Files example_consolidate();
Files example_gpu_notebook();
Files example_node_less();
Files example_provisioner();
Files example_spot_inflate();
}  // namespace tenon::embedded

namespace tenon::cli {
namespace {

using json::value;

constexpr int64_t kMostPods = 100'000;

Result<std::string> text(const value& v, const std::string& field) {
  if (!v.is_string()) return fail(Code::kInvalid, field + ": must be a string");
  return std::string(v.get_string());
}

Result<bool> flag(const value& v, const std::string& field) {
  if (!v.is_bool()) return fail(Code::kInvalid, field + ": must be true or false");
  return v.get_bool();
}

Result<int> number(const value& v, const std::string& field) {
  if (!v.is_int64() || v.get_int64() < 0 || v.get_int64() > kMostPods)
    return fail(Code::kInvalid, field + ": must be a number from 0 to " + std::to_string(kMostPods));
  return static_cast<int>(v.get_int64());
}

Result<Duration> duration(const value& v, const std::string& field) {
  const auto span = parse_go_duration(TRY(text(v, field)));
  if (!span) return fail(Code::kInvalid, field + ": must be a duration such as 720h");
  return *span;
}

Result<std::vector<std::string>> texts(const value& v, const std::string& field) {
  if (!v.is_array()) return fail(Code::kInvalid, field + ": must be a list");
  std::vector<std::string> all;
  for (const value& item : v.get_array()) all.push_back(TRY(text(item, field)));
  return all;
}

Result<model::StringMap> text_map(const value& v, const std::string& field) {
  if (!v.is_object()) return fail(Code::kInvalid, field + ": must be a map");
  model::StringMap map;
  for (const auto& [key, item] : v.get_object())
    map[std::string(key)] = TRY(text(item, field + "." + std::string(key)));
  return map;
}

// "Pod test-0"
std::pair<std::string, std::string> words(const std::string& text) {
  const auto [first, second] = cut(text, ' ');
  return {std::string(first), std::string(second)};
}

Result<ExpectedNode> parse_node(const value& v) {
  if (!v.is_object()) return fail(Code::kInvalid, "nodes: each must be a map");
  ExpectedNode node;
  node.type = json::string_at(v, {"type"});
  node.capacity_type = json::string_at(v, {"capacityType"});
  if (const value* pods = json::find(v, {"pods"})) node.pods = TRY(number(*pods, "nodes.pods"));
  if (const value* labels = json::find(v, {"labels"})) node.labels = TRY(text_map(*labels, "nodes.labels"));
  if (node.type.empty()) return fail(Code::kInvalid, "nodes: each needs a type");
  return node;
}

Result<Expectation> parse_expectation(const value& v) {
  Expectation expect;
  for (const auto& [key, item] : v.get_object()) {
    if (key == "nodes") {
      if (!item.is_array()) return fail(Code::kInvalid, "nodes: must be a list");
      expect.nodes.emplace();
      for (const value& node : item.get_array()) expect.nodes->push_back(TRY(parse_node(node)));
    } else if (key == "instanceTags") {
      expect.instance_tags = TRY(text_map(item, "instanceTags"));
    } else if (key == "events") {
      expect.events = TRY(texts(item, "events"));
    } else if (key == "poolResources") {
      expect.pool_resources = TRY(text_map(item, "poolResources"));
    } else if (key == "emptyFor") {
      expect.empty_for = TRY(duration(item, "emptyFor"));
    } else if (key == "pendingPods") {
      expect.pending_pods = TRY(number(item, "pendingPods"));
    } else if (key == "pricePerHour") {
      expect.price_per_hour = TRY(text(item, "pricePerHour"));
    } else if (key == "replacementFirst") {
      expect.replacement_first = TRY(flag(item, "replacementFirst"));
    } else if (key == "replaced") {
      expect.replaced = TRY(flag(item, "replaced"));
    } else if (key == "kept") {
      expect.kept = TRY(flag(item, "kept"));
    } else if (key == "drifted") {
      expect.drifted = TRY(text(item, "drifted"));
    } else if (key == "maxDisrupted") {
      expect.max_disrupted = TRY(number(item, "maxDisrupted"));
    } else {
      return fail(Code::kInvalid, std::string(key) + ": unknown expectation");
    }
  }
  return expect;
}

Result<Step> parse_step(const value& v) {
  Step step;
  if (!v.is_object()) return fail(Code::kInvalid, "must be a map");
  for (const auto& [key, item] : v.get_object()) {
    if (key == "title") {
      step.title = TRY(text(item, "title"));
    } else if (key == "apply") {
      step.apply = TRY(texts(item, "apply"));
    } else if (key == "scale") {
      const value *deployment = json::find(item, {"deployment"}), *replicas = json::find(item, {"replicas"});
      if (!deployment || !replicas) return fail(Code::kInvalid, "scale: deployment and replicas are required");
      step.scale_deployment = TRY(text(*deployment, "scale.deployment"));
      step.scale_replicas = TRY(number(*replicas, "scale.replicas"));
    } else if (key == "deleteAll") {
      step.delete_all = TRY(text(item, "deleteAll"));
    } else if (key == "delete") {
      std::tie(step.delete_kind, step.delete_name) = words(TRY(text(item, "delete")));
      if (step.delete_name.empty()) return fail(Code::kInvalid, "delete: must be a kind and a name");
    } else if (key == "patchNodePool") {
      step.patch_node_pool = json::to_string(item);
    } else if (key == "patchNodeClass") {
      step.patch_node_class = json::to_string(item);
    } else if (key == "advance") {
      step.advance = TRY(duration(item, "advance"));
    } else if (key == "expect" && item.is_object()) {
      step.expect = TRY_IN("expect", parse_expectation(item));
    } else {
      return fail(Code::kInvalid, std::string(key) + ": unknown field");
    }
  }
  return step;
}

const embedded::Files& example_files(std::string_view folder) {
  static const std::map<std::string_view, embedded::Files> kFolders{{"consolidate", embedded::example_consolidate()},
                                                                    {"gpu-notebook", embedded::example_gpu_notebook()},
                                                                    {"node-less", embedded::example_node_less()},
                                                                    {"provisioner", embedded::example_provisioner()},
                                                                    {"spot-inflate", embedded::example_spot_inflate()}};
  static const embedded::Files none;
  const auto found = kFolders.find(folder);
  return found == kFolders.end() ? none : found->second;
}

}  // namespace

std::string ExpectedNode::to_string() const {
  std::string out = type + " " + capacity_type + " with " + counted(pods, "pod");
  for (const auto& [key, item] : labels) out += " " + key + "=" + item;
  return out;
}

std::vector<std::string> scenario_names() {
  std::vector<std::string> names;
  for (const auto& [file, yaml] : embedded::scenarios()) names.emplace_back(cut(file, '.').first);
  return names;
}

Result<Scenario> load_scenario(std::string_view name) {
  for (const auto& [file, yaml] : embedded::scenarios()) {
    if (cut(file, '.').first == name) return parse_scenario(yaml);
  }
  return fail(Code::kNotFound,
              "no scenario \"" + std::string(name) + "\"; known scenarios: " + join(scenario_names(), ", "));
}

Result<Scenario> parse_scenario(std::string_view yaml) {
  const auto documents = TRY(json::parse_yaml(yaml));
  if (documents.size() != 1) return fail(Code::kInvalid, "a scenario is one YAML document");
  const value& root = documents.front();
  Scenario scenario;
  scenario.name = json::string_at(root, {"name"});
  scenario.summary = json::string_at(root, {"summary"});
  scenario.manifests = json::string_at(root, {"manifests"});
  for (const value& item : json::array_at(root, {"steps"})) {
    scenario.steps.push_back(TRY_IN("steps[" + std::to_string(scenario.steps.size()) + "]", parse_step(item)));
  }
  if (scenario.name.empty() || scenario.steps.empty()) return fail(Code::kInvalid, "name and steps are required");
  return scenario;
}

Result<std::string> example_manifest(std::string_view folder, std::string_view file) {
  for (const auto& [name, content] : example_files(folder)) {
    if (name == file) return std::string(content);
  }
  return fail(Code::kNotFound, "no manifest " + std::string(file) + " in examples/" + std::string(folder));
}

}  // namespace tenon::cli
