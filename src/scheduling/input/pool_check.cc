// SPDX-License-Identifier: Apache-2.0
#include "scheduling/input/pool_check.h"

namespace tenon::scheduling {

std::string contradiction(const model::NodePool& pool) {
  model::Requirements all;
  const auto add = [&](const model::Requirement& r) {
    all.add(r);
    return !all.get(r.key()).empty();
  };
  for (const model::RequirementSpec& spec : pool.node_template.requirements) {
    const auto r = model::Requirement::make(spec);
    if (r && !add(*r)) return "spec.template.spec.requirements: no value satisfies all requirements on " + r->key();
  }
  for (const auto& [key, text] : pool.node_template.labels) {
    if (!add(model::Requirement::in(key, {text}))) {
      return "spec.template.metadata.labels[" + key + "]: excluded by spec.template.spec.requirements";
    }
  }
  return {};
}

}  // namespace tenon::scheduling
