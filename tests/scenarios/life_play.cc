// SPDX-License-Identifier: Apache-2.0
#include "life_play.h"

#include <algorithm>
#include <iostream>

#include "base/text.h"
#include "cli/documents/plan_documents.h"
#include "json/json.h"
#include "json/yaml.h"
#include "life_world.h"

namespace tenon::scenarios {

using json::value;

Result<value> read_life(const std::string& file) {
  const std::string text = TRY(cli::read_text(file, std::cin));
  std::vector<value> documents = TRY_IN(file, json::parse_yaml(text));
  if (documents.size() != 1 || json::string_at(documents.front(), {"kind"}) != "Life")
    return fail(Code::kInvalid, file + ": must be one document of kind Life");
  const json::array& steps = json::array_at(documents.front(), {"steps"});
  if (std::none_of(steps.begin(), steps.end(), [](const value& step) { return json::find(step, {"expect"}); }))
    return fail(Code::kInvalid, file + ": steps: expect nothing");
  return std::move(documents.front());
}

Status play(const value& life, const AwsWire& aws_wire) {
  const std::unique_ptr<LifeWorld> world = TRY(LifeWorld::make(life, aws_wire));
  const json::array& steps = json::array_at(life, {"steps"});
  for (size_t i = 0; i < steps.size(); ++i) TRY_IN("step " + std::to_string(i + 1), world->act(steps[i]));
  const auto undocumented = world->undocumented();
  if (undocumented.empty()) return ok();
  return fail(Code::kInvalid, "\n  " + join(undocumented, "\n  "));
}

}  // namespace tenon::scenarios
