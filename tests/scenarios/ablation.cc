// SPDX-License-Identifier: Apache-2.0
#include "ablation.h"

#include <algorithm>
#include <iostream>

#include "base/testing/temp_folder.h"
#include "cli/documents/plan_documents.h"
#include "expectation.h"
#include "json/json.h"
#include "json/yaml.h"
#include "life_play.h"
#include "rule.h"

namespace tenon::scenarios {
namespace {

using json::value;

constexpr int kBadInput = 1;  // exit code of `tenon plan`

Result<std::vector<value>> read(const std::string& file) {
  const std::string text = TRY(cli::read_text(file, std::cin));
  return json::parse_yaml(text);
}

// Returns the document that states the rule.
const value* head_of(const std::vector<value>& documents) {
  const auto at = std::find_if(documents.begin(), documents.end(), [](const value& document) {
    const std::string_view kind = json::string_at(document, {"kind"});
    return kind == "Expectation" || kind == "Life";
  });
  return at == documents.end() ? nullptr : &*at;
}

bool is_life(const std::vector<value>& documents) {
  return documents.size() == 1 && json::string_at(documents.front(), {"kind"}) == "Life";
}

Ablation plan_without(const std::string& file, const std::string& path) {
  const TempFolder scratch;
  const auto wanted = read_expectation(file, scratch.path(), path);
  if (!wanted) return {path, Outcome::kInvalid, wanted.error().message};
  const Answer answer = ask(wanted->options);
  if (unmet(*wanted, answer).empty()) return {path, Outcome::kPasses, ""};
  if (answer.exit == kBadInput) return {path, Outcome::kInvalid, answer.err};
  return {path, Outcome::kFails, ""};
}

Ablation life_without(value life, const std::string& path) {
  Status played = remove_field(life, path);
  if (!played) return {path, Outcome::kInvalid, played.error().message};
  try {
    played = play(life);
  } catch (const std::exception& e) {  // an action without its content is no action
    played = fail(Code::kInvalid, e.what());
  }
  if (played) return {path, Outcome::kPasses, ""};
  if (played.error().code != Code::kTimeout) return {path, Outcome::kInvalid, played.error().message};
  return {path, Outcome::kFails, ""};
}

std::vector<Ablation> without_each(const std::string& file, const std::vector<value>& documents,
                                   const std::vector<std::string>& paths) {
  std::vector<Ablation> all;
  for (const std::string& path : paths)
    all.push_back(is_life(documents) ? life_without(documents.front(), path) : plan_without(file, path));
  return all;
}

}  // namespace

std::string describe(const Ablation& ablation) {
  switch (ablation.outcome) {
    case Outcome::kFails: return "fails without " + ablation.path;
    case Outcome::kPasses: return "PASSES without " + ablation.path;
    case Outcome::kInvalid: break;
  }
  return ablation.path.empty() ? ablation.why : "is not valid without " + ablation.path + ": " + ablation.why;
}

std::vector<Ablation> ablate(const std::string& file) {
  const auto documents = read(file);
  if (!documents) return {{"", Outcome::kInvalid, documents.error().message}};
  const value* head = head_of(*documents);
  if (!head) return {{"", Outcome::kInvalid, "has no document of kind Expectation or Life"}};
  const Result<Rule> rule = rule_of(*head);
  if (!rule) return {{"", Outcome::kInvalid, rule.error().message}};
  return without_each(file, *documents, rule->paths);
}

std::vector<Ablation> ablate_fields(const std::string& file) {
  const auto documents = read(file);
  if (!documents) return {{"", Outcome::kInvalid, documents.error().message}};
  return without_each(file, *documents,
                      is_life(*documents) ? fields_of(documents->front()) : fields_of_manifests(*documents));
}

}  // namespace tenon::scenarios
